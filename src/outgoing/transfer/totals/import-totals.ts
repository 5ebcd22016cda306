import { createHash } from 'node:crypto'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import { formatDay, localDay } from '../../../platform/time/local-time.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import { type LeftReason, LeftRows } from '../read/left-rows.ts'
import { refusal } from '../read/limits.ts'
import { filesIn } from '../read/packed-files.ts'
import type { SourceFile } from '../source-file.ts'
import { FamilyWriter } from './family-writer.ts'
import type { TotalsTable } from './format.ts'
import { TOTALS_FORMATS, type TotalsFormatName } from './registry.ts'
import { finishImport, type NewImport, REMOVAL_MS, removeImport, startImport } from './store.ts'

/** Exports of ten years have about as many; a table of that size is read in seconds. */
const MOST_ROWS = 5_000_000

/** Tables, files and reasons that a result names; a ZIP may have 10,000 files. */
const MOST_LISTED = 100

/** One table of a file. */
export interface ImportedTable {
  file: string
  dimensions: string[]
  from: string
  to: string
  rows: number
  /** Sums of the numbers that the file has. */
  totals: Partial<Record<TotalsNumber, number>>
}

export interface TotalsResult {
  /** Null in a dry run. */
  import_id: string | null
  format: TotalsFormatName
  file: string
  from: string
  to: string
  rows: number
  tables: ImportedTable[]
  /** Rows that cannot be carried over, by reason. */
  left: LeftReason[]
  /** Files that hold no totals. */
  unknown_files: string[]
  /** First day of the site's own hits: no read uses imported days from there on. Null without hits. */
  own_from: string | null
  notes: string[]
}

export interface TotalsSite {
  siteNo: number
  timezone: string
}

const findFirstHit = query<{ siteNo: number }, { at: Date | null }>(
  'find-first-hit',
  `select first_event_at as at from sites where site_no = :siteNo::int`,
)

export interface TotalsImport {
  format: TotalsFormatName
  file: SourceFile
  /** Zone of hours in the file; UTC by default. */
  fileTimezone?: string | undefined
  isDryRun?: boolean
  userId?: string | null
  /** Called with the number of rows read, each thousand rows. Throws to stop. */
  onProgress?: ((rows: number) => Promise<void>) | undefined
}

/**
 * Imports the totals of a file. Reads use them when all are stored; the same file again takes the place of what it brought before.
 * @throws AppError `validation_failed` when the file is not of the format, has no row that can be kept, or too many
 */
export async function importTotals(
  { db, now }: { db: Db; now: () => Date },
  site: TotalsSite,
  { format, file, fileTimezone = 'UTC', isDryRun = false, userId = null, onProgress }: TotalsImport,
): Promise<TotalsResult> {
  const { open, notes } = TOTALS_FORMATS[format]
  const { siteNo, timezone } = site
  const { tables, unknown } = await open(await filesIn(file), { timezone, fileTimezone })
  const given: NewImport | undefined = isDryRun
    ? undefined
    : {
        ...{ siteNo, format, userId, now: now() },
        fileName: file.name.slice(0, 255),
        fingerprint: await fingerprintOf(file),
      }
  const started = given && (await startImport(db, given))
  const left = new LeftRows()
  const read: ImportedTable[] = []
  let rows = 0
  const count = (): Promise<void> | undefined => {
    rows += 1
    if (rows > MOST_ROWS) throw refusal(`the file has more than ${MOST_ROWS.toLocaleString('en')} rows`)
    return rows % 1_000 === 0 ? onProgress?.(rows) : undefined
  }
  try {
    for (const table of tables) {
      const found = await readTable(
        table,
        (reason, line) => left.add(tables.length > 1 ? `${table.file}: ${reason}` : reason, line),
        count,
        started && (() => FamilyWriter.start(db, started, table)),
      )
      if (found) read.push(found)
    }
    if (read.length === 0) throw refusal(`the file has no row that can be kept${becauseOf(left)}`)
    if (given && started) await finishImport(db, started, given)
  } catch (error) {
    if (started) await removeImport(db, started, limitTime(REMOVAL_MS))
    throw error
  }
  const [first] = await findFirstHit(db, { siteNo })
  return {
    import_id: started?.id ?? null,
    format,
    file: file.name,
    from: read.map(({ from }) => from).sort()[0]!,
    to: read
      .map(({ to }) => to)
      .sort()
      .at(-1)!,
    rows: read.reduce((sum, table) => sum + table.rows, 0),
    tables: read.slice(0, MOST_LISTED),
    left: left.byReason(),
    unknown_files: unknown.slice(0, MOST_LISTED),
    own_from: first?.at ? formatDay(localDay(timezone, first.at.getTime())) : null,
    notes: [...notes],
  }
}

function becauseOf(left: LeftRows): string {
  const [first] = left.byReason()
  return first ? `: ${first.reason}` : ''
}

/** @returns undefined for a table without a row that can be kept */
async function readTable(
  table: TotalsTable,
  leave: (reason: string, line: number) => void,
  count: () => Promise<void> | undefined,
  start: (() => Promise<FamilyWriter>) | undefined,
): Promise<ImportedTable | undefined> {
  const sums = table.numbers.map(() => 0)
  let writer: FamilyWriter | undefined
  let [from, to]: (string | undefined)[] = []
  let rows = 0
  for await (const { line, row, left: reason } of table.rows()) {
    const asked = count()
    if (asked) await asked
    if (!row) {
      leave(reason, line)
      continue
    }
    rows += 1
    if (from === undefined || row.day < from) from = row.day
    if (to === undefined || row.day > to) to = row.day
    row.numbers.forEach((number, index) => {
      sums[index]! += number
    })
    if (start) {
      writer ??= await start()
      await writer.add(row)
    }
  }
  await writer?.finish()
  if (from === undefined || to === undefined) return undefined
  const { file, dimensions, numbers } = table
  return {
    ...{ file, dimensions, from, to, rows },
    totals: Object.fromEntries(numbers.map((name, index) => [name, sums[index]])),
  }
}

async function fingerprintOf(file: SourceFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.read()) hash.update(chunk)
  return hash.digest('hex')
}

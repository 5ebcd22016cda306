import { createHash } from 'node:crypto'
import type { Db, Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { TotalsNumber } from '../../stats/imported/families.ts'
import type { TotalsRow } from './format.ts'

const insertImport = query<
  { siteNo: number; format: string; fileName: string; fingerprint: string; now: Date; userId: string | null },
  { importNo: number; id: string }
>(
  'insert-totals-import',
  `insert into totals_imports (site_no, format, file_name, fingerprint, imported_at, imported_by)
  values (:siteNo::int, :format::text, :fileName::text, :fingerprint::text, :now::timestamptz, :userId::uuid)
  returning import_no as "importNo", id`,
)

const insertFamily = query<
  { siteNo: number; importNo: number; dimensions: string[]; numbers: string[] },
  { familyNo: number }
>(
  'insert-totals-family',
  `insert into totals_families (site_no, import_no, dimensions, numbers, from_day, to_day, row_count)
  values (:siteNo::int, :importNo::bigint, :dimensions::text[], :numbers::text[], 'epoch', 'epoch', 0)
  returning family_no as "familyNo"`,
)

const addTotals = query<{ siteNo: number; familyNo: number; rows: string }>('add-totals')

/** Takes the days and the number of rows from what was stored. */
const measureFamily = query<{ siteNo: number; familyNo: number }>(
  'measure-totals-family',
  `update totals_families
  set (from_day, to_day, row_count) = (
    select min(day), max(day), count(*)
    from totals_days
    where site_no = :siteNo::int and family_no = :familyNo::bigint
  )
  where site_no = :siteNo::int and family_no = :familyNo::bigint`,
)

const setReady = query<{ siteNo: number; importNo: number }>(
  'set-totals-ready',
  `update totals_imports set is_ready = true where site_no = :siteNo::int and import_no = :importNo::bigint`,
)

const selectSame = query<
  { siteNo: number; format: string; fingerprint: string; importNo: number },
  { importNo: number }
>(
  'list-same-totals-imports',
  `select import_no as "importNo"
  from totals_imports
  where site_no = :siteNo::int and format = :format::text and fingerprint = :fingerprint::text
    and import_no < :importNo::bigint`,
)

const deleteDays = query<{ siteNo: number; importNo: number; limit: number }, { gone: boolean }>(
  'delete-totals-days',
  `delete from totals_days
  where ctid = any(array(
    select totals_days.ctid
    from totals_days
    join totals_families using (site_no, family_no)
    where site_no = :siteNo::int and import_no = :importNo::bigint
    limit :limit::int
  ))
  returning true as gone`,
)

const hideImport = query<{ siteNo: number; importNo: number }>(
  'hide-totals-import',
  `update totals_imports
  set is_ready = false, removed_at = coalesce(removed_at, now())
  where site_no = :siteNo::int and import_no = :importNo::bigint`,
)

const selectOfFormat = query<{ siteNo: number; format: string }, ImportKey>(
  'list-totals-imports-of-format',
  `select site_no as "siteNo", import_no as "importNo"
  from totals_imports
  where site_no = :siteNo::int and format = :format::text
  order by import_no`,
)

/** Those that were removed, and those that were cut off. */
const selectGone = query<{ before: Date }, { siteNo: number; importNo: number }>(
  'list-gone-totals-imports',
  `select site_no as "siteNo", import_no as "importNo"
  from totals_imports
  where removed_at is not null or (not is_ready and imported_at < :before::timestamptz)
  order by site_no, import_no`,
)

const deleteImport = query<{ siteNo: number; importNo: number }>(
  'delete-totals-import',
  `delete from totals_imports where site_no = :siteNo::int and import_no = :importNo::bigint`,
)

export interface NewImport {
  siteNo: number
  format: string
  fileName: string
  fingerprint: string
  now: Date
  userId: string | null
}

export interface StartedImport {
  siteNo: number
  importNo: number
  id: string
}

export async function startImport(db: Db, given: NewImport): Promise<StartedImport> {
  const [row] = await insertImport(db, given)
  return { siteNo: given.siteNo, ...row! }
}

/** Makes the rows of an import count, and removes those of earlier imports of the same file. */
export async function finishImport(db: Db, started: StartedImport, given: NewImport): Promise<void> {
  const { siteNo, format, fingerprint } = given
  const { importNo } = started
  const same = await selectSame(db, { siteNo, format, fingerprint, importNo })
  await db.begin(async tx => {
    await setReady(tx, { siteNo, importNo })
    for (const earlier of same) await hideImport(tx, { siteNo, importNo: earlier.importNo })
  })
  for (const earlier of same) await removeImport(db, { siteNo, importNo: earlier.importNo })
}

/** Rows of one statement, so that other statements run in between. */
const ROWS_AT_ONCE = 5_000

interface ImportKey {
  siteNo: number
  importNo: number
}

/**
 * Removes an import. Its rows count no more from the beginning on; safe to call again after it was cut off.
 * @returns true when time ran out
 */
export async function removeImport(
  db: Db,
  { siteNo, importNo }: ImportKey,
  hasTime: () => boolean = () => true,
): Promise<boolean> {
  await hideImport(db, { siteNo, importNo })
  for (;;) {
    if (!hasTime()) return true
    const gone = await deleteDays(db, { siteNo, importNo, limit: ROWS_AT_ONCE })
    if (gone.length < ROWS_AT_ONCE) break
  }
  await deleteImport(db, { siteNo, importNo })
  return false
}

/** Makes the rows of an import count no more; `removeGone` deletes them. */
export const hide = (tx: Transaction, { siteNo, importNo }: ImportKey) => hideImport(tx, { siteNo, importNo })

/**
 * Removes all imports of a format from a site. None of them counts from the beginning on.
 * @returns true when time ran out
 */
export async function removeFormat(
  db: Db,
  { siteNo, format }: { siteNo: number; format: string },
  hasTime: () => boolean,
): Promise<boolean> {
  const found = await selectOfFormat(db, { siteNo, format })
  await db.begin(async tx => {
    for (const key of found) await hideImport(tx, key)
  })
  for (const key of found) if (await removeImport(db, key, hasTime)) return true
  return false
}

/**
 * Deletes what was removed, and imports that were cut off a day ago. Safe to stop at any point.
 * @returns true when time ran out
 */
export async function removeGone(db: Db, now: Date, hasTime: () => boolean): Promise<boolean> {
  const gone = await selectGone(db, { before: new Date(now.getTime() - DAY_MS) })
  for (const key of gone) if (await removeImport(db, key, hasTime)) return true
  return false
}

/** Stores the rows of one table; equal days and values are added up. */
export class FamilyWriter {
  readonly #db: Db
  readonly #siteNo: number
  readonly #familyNo: number
  readonly #numbers: readonly TotalsNumber[]
  #waiting = new Map<string, { day: string; key: string; vals: string[]; numbers: number[] }>()

  private constructor(db: Db, siteNo: number, familyNo: number, numbers: readonly TotalsNumber[]) {
    this.#db = db
    this.#siteNo = siteNo
    this.#familyNo = familyNo
    this.#numbers = numbers
  }

  static async start(
    db: Db,
    { siteNo, importNo }: StartedImport,
    table: { dimensions: string[]; numbers: TotalsNumber[] },
  ): Promise<FamilyWriter> {
    const { dimensions, numbers } = table
    const [row] = await insertFamily(db, { siteNo, importNo, dimensions, numbers })
    return new FamilyWriter(db, siteNo, row!.familyNo, numbers)
  }

  async add({ day, values, numbers }: TotalsRow): Promise<void> {
    const key = keyOf(values)
    const place = `${day} ${key}`
    const before = this.#waiting.get(place)
    if (before) before.numbers = before.numbers.map((number, index) => number + numbers[index]!)
    else this.#waiting.set(place, { day, key, vals: values, numbers })
    if (this.#waiting.size >= ROWS_AT_ONCE) await this.#write()
  }

  async finish(): Promise<void> {
    await this.#write()
    await measureFamily(this.#db, { siteNo: this.#siteNo, familyNo: this.#familyNo })
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const rows = [...this.#waiting.values()].map(({ numbers, ...row }) => ({
      ...row,
      ...Object.fromEntries(this.#numbers.map((name, index) => [name, numbers[index]])),
    }))
    this.#waiting = new Map()
    await addTotals(this.#db, {
      siteNo: this.#siteNo,
      familyNo: this.#familyNo,
      rows: JSON.stringify(rows),
    })
  }
}

/** Values have no NUL: it separates them. MD5 only tells values of one day apart. */
const keyOf = (values: string[]) => createHash('md5').update(values.join('\0')).digest('hex')

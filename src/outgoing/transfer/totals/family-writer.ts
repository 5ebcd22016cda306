import { createHash } from 'node:crypto'
import { isListed } from '../../../ingestion/stages/sources/find-source.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import { unifySpellings } from '../../../storage/events/source-spellings.ts'
import type { TotalsRow } from './format.ts'
import { type ImportKey, ROWS_AT_ONCE, wasRemoved } from './store.ts'

const insertFamily = query<
  { siteNo: number; importNo: number; dimensions: string[]; numbers: string[] },
  { familyNo: number }
>(
  'insert-totals-family',
  `insert into totals_families (site_no, import_no, dimensions, numbers, from_day, to_day, row_count)
  select site_no, import_no, :dimensions::text[], :numbers::text[], 'epoch', 'epoch', 0
  from totals_imports
  where site_no = :siteNo::int and import_no = :importNo::bigint and removed_at is null
  for share
  returning family_no as "familyNo"`,
)

const addTotals = query<
  { siteNo: number; importNo: number; familyNo: number; rows: string },
  { isThere: boolean }
>('add-totals')

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

interface FamilyTable {
  dimensions: string[]
  numbers: TotalsNumber[]
}

/**
 * Stores the rows of one table; equal days and values are added up. Each statement locks the import, so that none adds rows to one that
 * is removed.
 */
export class FamilyWriter {
  readonly #db: Db
  readonly #siteNo: number
  readonly #importNo: number
  readonly #familyNo: number
  readonly #numbers: readonly TotalsNumber[]
  /** Place of the source among the values; -1 without it. */
  readonly #sourceAt: number
  #waiting = new Map<string, { day: string; key: string; vals: string[]; numbers: number[] }>()

  private constructor(
    db: Db,
    { siteNo, importNo }: ImportKey,
    familyNo: number,
    { dimensions, numbers }: FamilyTable,
  ) {
    this.#db = db
    this.#siteNo = siteNo
    this.#importNo = importNo
    this.#familyNo = familyNo
    this.#numbers = numbers
    this.#sourceAt = dimensions.indexOf('source')
  }

  /** @throws AppError `validation_failed` when the import was removed meanwhile; so do the methods */
  static async start(db: Db, { siteNo, importNo }: ImportKey, table: FamilyTable): Promise<FamilyWriter> {
    const { dimensions, numbers } = table
    const [row] = await insertFamily(db, { siteNo, importNo, dimensions, numbers })
    if (!row) throw wasRemoved()
    return new FamilyWriter(db, { siteNo, importNo }, row.familyNo, table)
  }

  async add({ day, values: given, numbers }: TotalsRow): Promise<void> {
    const values = this.#sourceAt === -1 ? given : await this.#withOneSpelling(given)
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

  /** Sources of imports are spelled as those of the site's sessions, and add up with them. */
  async #withOneSpelling(values: string[]): Promise<string[]> {
    const source = { siteNo: this.#siteNo, source: values[this.#sourceAt]! }
    const { spellingOf, commit } = await unifySpellings(this.#db, this.#db, [source], isListed)
    commit()
    return values.with(this.#sourceAt, spellingOf(source))
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const rows = [...this.#waiting.values()].map(({ numbers, ...row }) => ({
      ...row,
      ...Object.fromEntries(this.#numbers.map((name, index) => [name, numbers[index]])),
    }))
    this.#waiting = new Map()
    const [added] = await addTotals(this.#db, {
      siteNo: this.#siteNo,
      importNo: this.#importNo,
      familyNo: this.#familyNo,
      rows: JSON.stringify(rows),
    })
    if (!added?.isThere) throw wasRemoved()
  }
}

/** Values have no NUL: it separates them. MD5 only tells values of one day apart. */
const keyOf = (values: string[]) => createHash('md5').update(values.join('\0')).digest('hex')

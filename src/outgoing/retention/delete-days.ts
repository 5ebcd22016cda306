import type { Db, Transaction } from '../../platform/db/connect.ts'
import { queries, query } from '../../platform/db/query.ts'
import { type TableName, tablesPurgedBy } from '../../platform/db/tables.ts'
import { allowColumnstoreWrites } from '../../storage/rollups/columnstore.ts'
import { MAX_ROWS } from '../../storage/rollups/delete-rows.ts'

// Deletes rows of tables that lie by time, a part of a span in each transaction.

export interface SiteSpan {
  siteNo: number
  start: Date
  end: Date
}

/** Tables whose rows lie by time. */
export const DAY_TABLES = tablesPurgedBy('days')

/** Returns the column of the time of a row. */
export const timeOf = (table: TableName): string => (table === 'sessions' ? 'started_at' : 'at')

const textsOf = (make: (table: TableName, time: string) => string): Record<string, string> =>
  Object.fromEntries(DAY_TABLES.map(table => [table, make(table, timeOf(table))]))

const inSpan = (time: string) =>
  `where site_no = :siteNo::int and ${time} >= :start::timestamptz and ${time} < :end::timestamptz`

/**
 * Deletes through the hypertable, not from a chunk: only this finds compressed rows in every version of TimescaleDB. With a plan for these
 * parameters (see allow-purge) it deletes whole segments of the columnstore without decompressing them.
 * @public the test of all statements reads them
 */
export const PURGE_TEXTS = textsOf((table, time) => `delete from ${table} ${inSpan(time)}`)
const purge = queries<string, SiteSpan>('purge', PURGE_TEXTS)

/** Rows of a span by bucket of 15 minutes. @public the test of all statements reads them */
export const COUNT_TEXTS = textsOf(
  (table, time) => `select time_bucket(interval '15 minutes', ${time}) as bucket, count(*)::int as count
  from ${table}
  ${inSpan(time)}
  group by 1
  order by 1`,
)
export const countByBucket = queries<string, SiteSpan, { bucket: Date; count: number }>(
  'count-by-bucket',
  COUNT_TEXTS,
)

const firstText = (table: TableName) =>
  `(select min(${timeOf(table)}) from ${table} where site_no = :siteNo::int and ${timeOf(table)} >= :from::timestamptz)`
const startText = () => `select least(\n  ${DAY_TABLES.map(firstText).join(',\n  ')}\n) as at`

/** Earliest time from which on the site has rows; null where it has none. @public the test of all statements reads it */
export const START_TEXT = startText()
export const findStart = query<{ siteNo: number; from: Date }, { at: Date | null }>(
  'find-purge-start',
  START_TEXT,
)

/**
 * Deletes the rows of a site in a span of a table, at most `MAX_ROWS` in one transaction; a bucket with more is one by itself. Safe to stop at
 * any point: what is left is deleted by the next run.
 * @param also done in the same transaction, with the buckets that had rows
 * @returns false when time ran out
 */
export async function deleteSpan(
  db: Db,
  table: TableName,
  { siteNo, start, end }: SiteSpan,
  hasTime: () => boolean,
  also: (tx: Transaction, buckets: Date[]) => Promise<void> = async () => {},
): Promise<boolean> {
  const slices = cut(await countByBucket[table]!(db, { siteNo, start, end }))
  for (const [index, buckets] of slices.entries()) {
    if (!hasTime()) return false
    const span = { siteNo, start: buckets[0]!, end: slices[index + 1]?.[0] ?? end }
    await db.begin(async tx => {
      await allowColumnstoreWrites(tx)
      await purge[table]!(tx, span)
      await also(tx, buckets)
    })
  }
  return true
}

function cut(counts: { bucket: Date; count: number }[]): Date[][] {
  const slices: Date[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const { bucket, count } of counts) {
    rows += count
    if (rows <= MAX_ROWS) {
      slices.at(-1)!.push(bucket)
    } else {
      slices.push([bucket])
      rows = count
    }
  }
  return slices
}

import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { BUCKET_MS, type Window } from './protocol.ts'

/** Dirty bucket of an aggregate, or of the daily rollups. */
export interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

/** What is aggregated continuously: `aggregates.ts` says how. */
export type Aggregate = 'hits' | 'revenue'
type Marked = Aggregate | 'daily_rollups'

// Because of the share lock, a transaction that moves the watermark waits for this one. Inserts in key order, to avoid deadlocks
// between writers.
const markDirty = query<{ aggregate: string; siteNos: number[]; buckets: Date[] }, { siteNo: number }>(
  'mark-dirty',
  `
  with edge as materialized (
    select watermark from watermarks where aggregate = :aggregate::text for share
  )
  insert into dirty_buckets (aggregate, site_no, bucket)
  select :aggregate::text, site_no, bucket
  from unnest(:siteNos::int[], :buckets::timestamptz[]) as given (site_no, bucket), edge
  where bucket < watermark
  order by site_no, bucket
  on conflict (aggregate, site_no, bucket) do update set version = excluded.version
  returning site_no as "siteNo"`,
)
const deleteDirty = query<{ aggregate: string; siteNos: number[]; buckets: Date[]; versions: number[] }>(
  'delete-dirty',
)
const selectDirty = query<{ aggregate: string; limit: number; start: Date | null; end: Date | null }, Mark>(
  'select-dirty',
  `
  select site_no as "siteNo", bucket, version
  from dirty_buckets
  where
    aggregate = :aggregate::text
    and bucket >= coalesce(:start::timestamptz, '-infinity')
    and bucket < coalesce(:end::timestamptz, 'infinity')
  order by bucket, site_no
  limit :limit::int`,
)

/** Maximum number of marks that `readMarks` returns. */
export const MAX_MARKS = 5_000

/** Returns the oldest marks in a window, with their present version. */
export const readMarks = (
  db: Queryable,
  aggregate: Marked,
  { start, end }: Partial<Window> = {},
): Promise<Mark[]> =>
  selectDirty(db, {
    aggregate,
    limit: MAX_MARKS,
    start: start === undefined ? null : new Date(start),
    end: end === undefined ? null : new Date(end),
  })

/** Removes marks, except those that were set again since they were read. */
export async function removeMarks(db: Queryable, aggregate: Marked, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return
  await deleteDirty(db, {
    aggregate,
    siteNos: marks.map(({ siteNo }) => siteNo),
    buckets: marks.map(({ bucket }) => bucket),
    versions: marks.map(({ version }) => version),
  })
}

/**
 * Marks the buckets of changed rows below a watermark: readers count rows or columns there until they are refreshed or rolled up. Call it
 * in the transaction that writes the rows, after the writes, and only once for each aggregate: two transactions that call it
 * twice could deadlock.
 * @param touched `at`: any time inside each bucket, Unix milliseconds
 * @returns true when it has set a mark: some rows lie below the watermark, which then stays until the transaction ends
 */
export async function markBuckets(
  tx: Transaction,
  aggregate: Marked,
  touched: { siteNo: number; at: number }[],
): Promise<boolean> {
  const marks = new Map<string, { siteNo: number; bucket: number }>()
  for (const { siteNo, at } of touched) {
    const bucket = Math.floor(at / BUCKET_MS) * BUCKET_MS
    marks.set(`${siteNo}/${bucket}`, { siteNo, bucket })
  }
  if (marks.size === 0) return false
  const values = [...marks.values()]
  const marked = await markDirty(tx, {
    aggregate,
    siteNos: values.map(({ siteNo }) => siteNo),
    buckets: values.map(({ bucket }) => new Date(bucket)),
  })
  return marked.length > 0
}

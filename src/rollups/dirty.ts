import type { Queryable, Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { Aggregate } from './aggregates.ts'
import type { Window } from './protocol.ts'

const BUCKET_MS = 15 * MINUTE_MS

/** Dirty bucket of an aggregate, or of the daily rollups. */
export interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

type Marked = Aggregate | 'daily_rollups'

const markDirty = query<{ aggregate: string; siteNos: number[]; times: Date[] }>('mark-dirty')
const markRollupsDirty = query<{ siteNos: number[]; times: Date[]; changedAts: Date[] }>('mark-daily-rollups')
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
 * Marks the buckets of changed rows below an aggregate's watermark: readers use raw rows for them until they are refreshed.
 * Call it in the transaction that writes the rows, after the writes, and only once for each aggregate: two transactions
 * that call it twice could deadlock.
 * @param touched any time inside each bucket, Unix milliseconds
 */
export async function markBuckets(
  tx: Transaction,
  aggregate: Aggregate,
  touched: { siteNo: number; at: number }[],
): Promise<void> {
  const buckets = new Map<string, { siteNo: number; at: number }>()
  for (const { siteNo, at } of touched) {
    const bucket = Math.floor(at / BUCKET_MS) * BUCKET_MS
    buckets.set(`${siteNo}/${bucket}`, { siteNo, at: bucket })
  }
  if (buckets.size === 0) return
  const values = [...buckets.values()]
  await markDirty(tx, {
    aggregate,
    siteNos: values.map(({ siteNo }) => siteNo),
    times: values.map(({ at }) => new Date(at)),
  })
}

/**
 * Marks the days whose rollups may hold the changed rows. The rules of `markBuckets` apply.
 * @param touched `at`: any time in the day, rounded down to a quarter hour; `changedAt`: a rollup built up to a later time
 * holds the row. For a hit this is its own time; for a session, `closesAt` of its last hit before or after the change,
 * whichever is earlier
 */
export async function markRollups(
  tx: Transaction,
  touched: { siteNo: number; at: number; changedAt: number }[],
): Promise<void> {
  const buckets = new Map<string, { siteNo: number; at: number; changedAt: number }>()
  for (const { siteNo, at, changedAt } of touched) {
    const bucket = Math.floor(at / BUCKET_MS) * BUCKET_MS
    const key = `${siteNo}/${bucket}`
    const known = buckets.get(key)
    if (known) known.changedAt = Math.min(known.changedAt, changedAt)
    else buckets.set(key, { siteNo, at: bucket, changedAt })
  }
  if (buckets.size === 0) return
  const values = [...buckets.values()]
  await markRollupsDirty(tx, {
    siteNos: values.map(({ siteNo }) => siteNo),
    times: values.map(({ at }) => new Date(at)),
    changedAts: values.map(({ changedAt }) => new Date(changedAt)),
  })
}

import { inTransaction, type Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { markBuckets } from './dirty.ts'

// Deletes rows of hits, sessions and money, and marks what continuous aggregates have to count again.

/** Maximum rows of one transaction: a longer one would block others by its locks, or the embedded database's only session. */
export const MAX_ROWS = 20_000
/** A deletion pauses while more buckets than this wait for a refresh. */
export const MAX_MARKS = 5_000

/** Buckets that wait for a refresh or a rollup. */
export const countDirty = query<{ siteNo: number }, { all: number; ofSite: number }>(
  'count-dirty',
  `
  select count(*)::int as "all", (count(*) filter (where site_no = :siteNo::int))::int as "ofSite"
  from dirty_buckets`,
)

const deleteKeptFrom = (table: string, name: string) =>
  query<{ siteNo: number; before: Date; limit: number }, { bucket: Date }>(
    name,
    `
  delete from ${table}
  where site_no = :siteNo::int and ctid = any(array(
    select ctid from ${table}
    where site_no = :siteNo::int and bucket < :before::timestamptz
    order by bucket
    limit :limit::int
  ))
  returning bucket`,
  )

const deleteKeptHits = deleteKeptFrom('kept_hit_buckets', 'delete-kept-hit-buckets')
const deleteKeptSessions = deleteKeptFrom('kept_session_buckets', 'delete-kept-session-buckets')

/** Kept buckets of one transaction. */
const KEPT_BUCKETS = 2_000
/** Upper bound of all times. */
const LATEST = new Date('9999-01-01T00:00:00Z')

/**
 * Deletes kept buckets of a site. Those of hits are marked dirty: their aggregate may still have them, though the hits are gone.
 * @returns true when there may be more
 */
export async function deleteKeptBuckets(db: Queryable, siteNo: number, before = LATEST): Promise<boolean> {
  const some = { siteNo, before, limit: KEPT_BUCKETS }
  const hits = await inTransaction(db, async transaction => {
    const gone = await deleteKeptHits(transaction, some)
    await markBuckets(
      transaction,
      'hits',
      gone.map(({ bucket }) => ({ siteNo, at: bucket.getTime() })),
    )
    return gone
  })
  const sessions = await deleteKeptSessions(db, some)
  return [hits, sessions].some(({ length }) => length === KEPT_BUCKETS)
}

export interface SiteSpan {
  siteNo: number
  start: Date
  end: Date
}

interface BucketCount {
  table: 'events' | 'sessions' | 'revenue'
  bucket: Date
  count: number
}

/** Rows of a span by bucket of 15 minutes. */
export const countRowsByBucket = query<SiteSpan, BucketCount>(
  'count-rows-by-bucket',
  `
  select "table", time_bucket(interval '15 minutes', at) as bucket, count(*)::int as count
  from (
    select 'events' as "table", at from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    union all
    select 'sessions', started_at from sessions
    where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    union all
    select 'revenue', at from revenue
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
  ) as counted
  group by 1, 2
  order by 1, 2`,
)

// Delete through the hypertable, not from a chunk: only this finds compressed rows in every version of TimescaleDB. With a plan
// for these parameters (see allow-purge) it deletes whole segments of the columnstore without decompressing them.
export const purgeEvents = query<SiteSpan>(
  'purge-events',
  `
  delete from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)
export const purgeSessions = query<SiteSpan>(
  'purge-sessions',
  `
  delete from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz`,
)
export const purgeRevenue = query<SiteSpan>(
  'purge-revenue',
  `
  delete from revenue
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

/** Splits consecutive buckets into transactions of at most `MAX_ROWS` rows. A bucket with more rows is a slice by itself. */
export function cut(counts: BucketCount[]): Date[][] {
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

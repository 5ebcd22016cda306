import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { numbersIn } from '../daily/visitor-set.ts'
import { arraysOf, type Window } from '../protocol.ts'

interface RecentCounts {
  siteNo: number
  bucket: Date
  /** Unix milliseconds. */
  countedTo: number
  pageviews: number
  customEvents: number
}

const selectRecent = query<
  { siteNos: readonly number[]; starts: readonly Date[]; ends: readonly Date[] },
  RecentCounts & { visitors: string }
>(
  'select-recent-hits',
  `
  select
    span.site_no as "siteNo",
    bucket,
    (extract(epoch from counted_to) * 1000)::bigint as "countedTo",
    pageviews,
    custom_events as "customEvents",
    encode(visitors, 'base64') as visitors
  from unnest(:siteNos::int[], :starts::timestamptz[], :ends::timestamptz[]) as span (site_no, starts_at, ends_at)
  join recent_hits on recent_hits.site_no = span.site_no
    and bucket >= starts_at and bucket + interval '15 minutes' <= ends_at
  where not exists (
    select from dirty_buckets
    where aggregate = 'recent_hits' and dirty_buckets.site_no = recent_hits.site_no and dirty_buckets.bucket = recent_hits.bucket
  )
  order by 1, 2`,
)

/** Counts of a bucket up to a time. */
export type RecentHits = RecentCounts & { visitors: Uint32Array }

/** Returns the counts of sites in the given spans, as far as they agree with the rows. */
export async function readRecentHits(
  tx: Queryable,
  spans: readonly (Window & { siteNo: number })[],
): Promise<RecentHits[]> {
  const rows = await selectRecent(tx, arraysOf(spans))
  return rows.map(row => ({ ...row, visitors: numbersIn(Buffer.from(row.visitors, 'base64')) }))
}

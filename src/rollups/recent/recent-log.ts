import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { BUCKET_MS, datesOf, type Window } from '../protocol.ts'
import { readWatermark } from '../watermarks.ts'

// Hits by type after the time up to which log_15m is refreshed. The aggregate would count them from rows by itself, but its plan reads all
// rows of the newest chunk, of all sites, and a busy site has millions of rows of its own there.

/** Hits by type, service-written ones included, as in log_15m. Types without hits are absent. */
export type LogCounts = Record<string, number>

const countRows = query<
  { siteNo: number; start: Date; end: Date },
  { bucket: number; type: string; hits: number }
>(
  'count-log-rows',
  `
  select
    (extract(epoch from time_bucket(interval '15 minutes', at)) * 1000)::bigint as bucket, type, count(*) as hits
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type not in ('engagement', 'identify')
  group by 1, 2`,
)

const selectRecentTypes = query<
  { siteNo: number; start: Date; end: Date },
  { bucket: number; countedTo: number; types: LogCounts }
>(
  'select-recent-types',
  `
  select
    (extract(epoch from bucket) * 1000)::bigint as bucket,
    (extract(epoch from counted_to) * 1000)::bigint as "countedTo",
    types
  from recent_hits
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz and types is not null
    and types_version = version
    and not exists (
      select from dirty_buckets as mark
      where mark.aggregate = 'recent_hits' and mark.site_no = recent_hits.site_no and mark.bucket = recent_hits.bucket
    )
  order by bucket`,
)

/** Counts hits of a part of a bucket by type, from rows. */
export async function countTypes(tx: Queryable, siteNo: number, part: Window): Promise<LogCounts> {
  const rows = await countRows(tx, { siteNo, ...datesOf(part) })
  return Object.fromEntries(rows.map(({ type, hits }) => [type, hits]))
}

/** The end of a log, as parameters of a statement: what log_15m does not hold. */
export interface LogEnd {
  /** log_15m counts what is before it, these counts what is since. */
  refreshedTo: Date
  /** Counts by bucket and type, one element of each array; several may be of the same bucket and type. */
  countedBuckets: Date[]
  countedTypes: string[]
  countedHits: number[]
}

/**
 * Counts the last hits of a site. Call it in the snapshot of the statement that gets the counts.
 * @param window whole buckets
 */
export async function readLogEnd(tx: Queryable, siteNo: number, { start, end }: Window): Promise<LogEnd> {
  const [state] = await readWatermark(tx, { aggregate: 'hits' })
  const from = Math.min(Math.max(start, state?.refreshedTo ?? start), end)
  const recent = from < end ? await selectRecentTypes(tx, { siteNo, ...datesOf({ start: from, end }) }) : []
  const gaps: Window[] = []
  let next = from
  for (const { bucket, countedTo } of recent) {
    gaps.push({ start: next, end: bucket })
    next = Math.min(countedTo, bucket + BUCKET_MS)
  }
  gaps.push({ start: next, end })
  const rows = await Promise.all(
    gaps.filter(gap => gap.start < gap.end).map(gap => countRows(tx, { siteNo, ...datesOf(gap) })),
  )
  const counts = [
    ...rows.flat(),
    ...recent.flatMap(({ bucket, types }) =>
      Object.entries(types).map(([type, hits]) => ({ bucket, type, hits })),
    ),
  ]
  return {
    refreshedTo: new Date(from),
    countedBuckets: counts.map(({ bucket }) => new Date(bucket)),
    countedTypes: counts.map(({ type }) => type),
    countedHits: counts.map(({ hits }) => hits),
  }
}

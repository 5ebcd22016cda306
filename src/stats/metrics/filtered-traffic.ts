import { DAY_MS } from '../../lib/time.ts'
import { NO_TRAFFIC, type TrafficTotals } from '../../rollups/protocol.ts'
import { type Bucket, boundsOf, type TimeSpan } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { hasHitFilters } from '../sql/conditions.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

type HitCounts = Pick<TrafficTotals, 'pageviews' | 'customEvents' | 'visitors'>
type SessionCounts = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>

/**
 * Counts of all filtered hits: saves the bucket computation for millions of rows. With all rows in one group, a sort of the
 * visitors is cheaper than a hash of them.
 */
const sumFilteredHits = filteredQuery<undefined, HitCounts>(
  'sum-filtered-hits',
  ['filtered_hits'],
  `select
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as "customEvents",
    count(distinct visitor_no) filter (where not is_service) as visitors
  from filtered_hits`,
)

/**
 * The same without filters on hits, with the counts of sessions. A session that started in the range has its opening hit there: visitors
 * are those of such sessions, and of hits of sessions that started before or after. Counting the other hits by type reads two
 * columns, a batch at a time.
 */
const sumFilteredSessions = filteredQuery<undefined, HitCounts & SessionCounts>('sum-filtered-sessions', [
  'filtered_hits',
  'filtered_sessions',
  'hits_of_other_sessions',
])

/**
 * One row for each bucket that has filtered hits. `bucket` counts, from 0, the half-open buckets that begin at `bounds`.
 * Visitors are aggregated into arrays and made distinct within each bucket: see rank-filtered-titles.sql.
 */
const countFilteredHits = filteredQuery<{ bounds: Date[] }, HitCounts & { bucket: number }>(
  'count-filtered-hits',
  ['filtered_hits'],
  `select
    bucket,
    pageviews,
    "customEvents",
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    select
      width_bucket(at, (select bounds from params)) - 1 as bucket,
      count(*) filter (where type = 'pageview') as pageviews,
      count(*) filter (where type = 'event' and not is_service) as "customEvents",
      array_agg(visitor_no) filter (where not is_service) as visitor_nos
    from filtered_hits
    group by 1
  ) as counted`,
)

/** Counts one slice of the hits. Returns visitors instead of their number, since other slices may have the same visitors. */
export const countFilteredSliceHits = filteredQuery<
  { bounds: Date[] },
  Omit<HitCounts, 'visitors'> & { bucket: number; visitors: Buffer | null }
>(
  'count-filtered-slice-hits',
  ['filtered_hits'],
  `select
    width_bucket(at, (select bounds from params)) - 1 as bucket,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as "customEvents",
    array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors
  from filtered_hits
  group by 1`,
)

/** One row for each bucket in which filtered sessions started; buckets as in `count-filtered-hits`. */
export const countFilteredSessions = filteredQuery<{ bounds: Date[] }, SessionCounts & { bucket: number }>(
  'count-filtered-sessions',
  ['filtered_sessions'],
  `select
    width_bucket(started_at, (select bounds from params)) - 1 as bucket,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as "durationMs"
  from filtered_sessions
  group by 1`,
)

/** Counts the totals of consecutive buckets, which together are the range, from the rows of hits and sessions. */
export async function countFilteredRows(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  buckets: readonly Bucket[],
): Promise<TrafficTotals[]> {
  const { reads, slices } = services
  const totals = buckets.map(() => ({ ...NO_TRAFFIC }))
  if (totals.length === 0) return totals
  if (totals.length === 1 && !slices && !hasHitFilters(resolved) && !isShort(resolved)) {
    return sumFilteredSessions(reads, resolved)
  }
  const options = { params: { bounds: boundsOf(buckets) } }
  const [hits, sessions] = await Promise.all([
    slices
      ? readSlices(services, countFilteredSliceHits, resolved, options).then(byBucket)
      : // A single bucket is the range: it needs no bucket computation for each hit.
        buckets.length === 1
        ? sumFilteredHits(reads, resolved).then(rows => rows.map(row => ({ bucket: 0, ...row })))
        : countFilteredHits(reads, resolved, options),
    readSlices(services, countFilteredSessions, resolved, options).then(byBucket),
  ])
  for (const { bucket, ...counts } of [...hits, ...sessions]) Object.assign(totals[bucket]!, counts)
  return totals
}

/** Most of a short range is near its bounds, where `sum-filtered-sessions` reads hits a second time. */
const isShort = ({ start, end }: TimeSpan) => end.getTime() - start.getTime() < 3 * DAY_MS

const byBucket = <Row extends { bucket: number }>(rows: Row[]) => mergeSlices(rows, ({ bucket }) => bucket)

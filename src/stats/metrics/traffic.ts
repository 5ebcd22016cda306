import { ratio } from '../../lib/numbers.ts'
import { runTask, type TrafficPart, type TrafficTotals } from '../../rollups/protocol.ts'
import { count, decimal } from '../../schema/fields.ts'
import { type Bucket, toWindow } from '../../time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'

export const trafficFields = {
  pageviews: count('Pageviews in the range.', 420),
  visitors: count('Distinct visitors with a pageview or event in the range.', 128),
  sessions: count('Sessions that started in the range.', 150),
  views_per_visit: decimal('Pageviews per session, two decimals.', 2.8),
  bounce_rate: decimal('Percentage of sessions with exactly one pageview, two decimals.', 41.33),
  avg_session_seconds: decimal('Mean length of a session, two decimals.', 95.4),
  custom_events: count('Hits of type `event` in the range.', 37),
}

type Traffic = Record<keyof typeof trafficFields, number>

/** Computes metrics from totals; the only place that does so (docs/metrics.md "Traffic"). */
export function presentTraffic(totals: TrafficTotals): Traffic {
  return {
    pageviews: totals.pageviews,
    visitors: totals.visitors,
    sessions: totals.sessions,
    views_per_visit: ratio(totals.pageviews, totals.sessions, 2),
    bounce_rate: bounceRate(totals.bounces, totals.sessions),
    avg_session_seconds: ratio(totals.durationMs, 1000 * totals.sessions, 2),
    custom_events: totals.customEvents,
  }
}

/** Share of sessions with exactly one pageview, percent, two decimals; 0 without sessions. */
export const bounceRate = (bounces: number, sessions: number): number => ratio(100 * bounces, sessions, 2)

/**
 * Returns the totals of consecutive buckets that together are the range of `resolved`.
 * @param parts the totals that the caller needs; without filters, the others are 0
 * @throws AppError as `countAsked`
 */
export async function countTraffic(
  services: Pick<StatsServices, 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  buckets: readonly Bucket[],
  parts: TrafficPart[] = ['hits', 'sessions'],
): Promise<TrafficTotals[]> {
  if (!isUnfiltered(resolved)) return countAsked(services, resolved, 'traffic', edgesOf(buckets))
  const windows = buckets.map(toWindow)
  return runTask(services.rollups, 'countTraffic', { siteNo: resolved.siteNo, windows, parts })
}

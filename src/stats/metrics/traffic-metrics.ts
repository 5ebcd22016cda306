import { ratio } from '../../platform/lib/numbers.ts'
import { count, decimal } from '../../platform/schema/fields.ts'
import { type Bucket, toWindow } from '../../platform/time/range.ts'
import { runTask, type TrafficTotals } from '../../storage/rollups/protocol.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import { countUntilRolledUp, withTrafficRest } from './rolled-up.ts'

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
 * @throws AppError as `countAsked`
 */
export async function countTraffic(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  buckets: readonly Bucket[],
): Promise<TrafficTotals[]> {
  const windows = buckets.map(toWindow)
  if (sourceOf('traffic', resolved) === 'rollups' && windows.some(({ start, end }) => start < end)) {
    const { siteNo } = resolved
    const totals = await withTrafficRest(services, resolved, windows, rest =>
      runTask(services.rollups, 'countTraffic', { siteNo, windows, ...rest }),
    )
    if (totals) return totals
  }
  return countUntilRolledUp(services, resolved, 'traffic', edgesOf(buckets))
}

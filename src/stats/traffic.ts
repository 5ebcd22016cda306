import { z } from 'zod'
import { count, decimal } from '../infra/fields.ts'
import { NO_TRAFFIC, runTask, type TrafficPart, type TrafficTotals } from '../rollups/protocol.ts'
import { isUnfiltered, readFiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import { ratio } from './numbers.ts'
import type { StatsServices } from './question.ts'
import { type Bucket, toWindow } from './time/range.ts'

export const trafficFields = {
  pageviews: count('Pageviews in the range.', 420),
  visitors: count('Distinct visitors with a pageview or event in the range.', 128),
  sessions: count('Sessions that started in the range.', 150),
  views_per_visit: decimal('Pageviews per session, two decimals.', 2.8),
  bounce_rate: decimal('Percentage of sessions with exactly one pageview, two decimals.', 41.33),
  avg_session_seconds: decimal('Mean length of a session, two decimals.', 95.4),
  custom_events: count('Hits of type `event` in the range.', 37),
}

export const Traffic = z.object(trafficFields)
export type Traffic = z.infer<typeof Traffic>

/** Computes metrics from totals; the only place that does so (contract §6). */
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
 * Returns the totals of consecutive buckets that together are the range of `scope`.
 * Without filters, a thread reads the aggregates; with filters, the hits themselves are counted.
 * @param parts the totals that the caller needs; the others may be 0
 */
export function countTraffic(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices'>,
  scope: Scope,
  buckets: readonly Bucket[],
  parts: TrafficPart[] = ['hits', 'sessions'],
): Promise<TrafficTotals[]> {
  if (!isUnfiltered(scope)) return countKept(services, scope, buckets)
  const windows = buckets.map(toWindow)
  return runTask(services.rollups, 'countTraffic', { siteNo: scope.siteNo, windows, parts })
}

type HitCounts = Pick<TrafficTotals, 'pageviews' | 'customEvents' | 'visitors'>
type GatheredHits = Omit<HitCounts, 'visitors'> & { bucket: number; visitors: Buffer | null }
type SessionCounts = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>

async function countKept(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  buckets: readonly Bucket[],
): Promise<TrafficTotals[]> {
  const totals = buckets.map(() => ({ ...NO_TRAFFIC }))
  if (totals.length === 0) return totals
  const { reads } = services
  const asked = { bounds: buckets.map(({ start }) => start) }
  if (services.slices) {
    const [hits, sessions] = await Promise.all([
      readSlices<GatheredHits>(services, 'gather-hits', scope, { asked }),
      readSlices<SessionCounts & { bucket: number }>(services, 'count-filtered-sessions', scope, { asked }),
    ])
    const merged = [...mergeSlices(hits, row => row.bucket), ...mergeSlices(sessions, row => row.bucket)]
    for (const { bucket, ...counts } of merged) Object.assign(totals[bucket]!, counts)
    return totals
  }
  // A single bucket that equals the range needs no bucket computation for each hit and session.
  if (buckets.length === 1 && sameRange(buckets[0]!, scope)) {
    const [[hits], [sessions]] = await Promise.all([
      readFiltered<HitCounts>(reads, 'sum-filtered-hits', scope),
      readFiltered<SessionCounts>(reads, 'sum-filtered-sessions', scope),
    ])
    return [{ ...hits!, ...sessions! }]
  }
  const [hits, sessions] = await Promise.all([
    readFiltered<HitCounts & { bucket: number }>(reads, 'count-filtered-hits', scope, { asked }),
    readFiltered<SessionCounts & { bucket: number }>(reads, 'count-filtered-sessions', scope, { asked }),
  ])
  for (const { bucket, ...counts } of [...hits, ...sessions]) Object.assign(totals[bucket]!, counts)
  return totals
}

const sameRange = (bucket: Bucket, { start, end }: Scope): boolean =>
  bucket.start.getTime() === start.getTime() && bucket.end.getTime() === end.getTime()

import type { TrafficTotals } from '../../storage/rollups/protocol.ts'
import { presentTraffic } from '../metrics/traffic-metrics.ts'
import type { TotalsSums } from './sums.ts'

/**
 * Computes the metrics of own traffic and imported totals together. Averages come from sums: those of sessions leave out imported
 * days whose bounces or durations are unknown.
 */
export function presentTogether(
  own: TrafficTotals,
  imported: TotalsSums | undefined,
): ReturnType<typeof presentTraffic> {
  if (!imported) return presentTraffic(own)
  const together = (sessions: number, pageviews = imported.pageviews) =>
    presentTraffic({
      pageviews: own.pageviews + pageviews,
      customEvents: own.customEvents + imported.events,
      visitors: own.visitors + imported.visitors,
      sessions: own.sessions + sessions,
      bounces: own.bounces + imported.bounces,
      durationMs: own.durationMs + imported.durationMs,
    })
  return {
    ...together(imported.sessions),
    views_per_visit: together(imported.viewedSessions, imported.viewsOfSessions).views_per_visit,
    bounce_rate: together(imported.bounceSessions).bounce_rate,
    avg_session_seconds: together(imported.timedSessions).avg_session_seconds,
  }
}

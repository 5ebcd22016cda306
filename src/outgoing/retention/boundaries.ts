import { DAY_MS } from '../../platform/lib/time.ts'
import { firstOfMonth, type LocalDay, localDay, startOfDay } from '../../platform/time/local-time.ts'
import { dayAround } from '../../storage/rollups/daily/roll-up-again.ts'

/**
 * Hits of a session lie at most this long after its start (docs/metrics.md "Session"). Details begin at least this long after the
 * end of a chunk whose rows are deleted: so no session with hits in the kept days has lost its row.
 */
export const SESSION_REACH_MS = DAY_MS

/** Returns the day some months before: the same day of that month, or its last day. */
function monthsBefore(day: LocalDay, months: number): LocalDay {
  const first = firstOfMonth(day)
  const target = firstOfMonth(day, -months)
  const lastOfTarget = firstOfMonth(day, -months + 1) - 1
  return Math.min(target + (day - first), lastOfTarget)
}

/** Returns the first start of a local day at or after an instant. */
function dayStartFrom(zone: string, at: number): number {
  const { start, end } = dayAround(zone, at)
  return start === at ? start : end
}

/**
 * Returns the start of the local day from which on a site keeps its details. Rows are deleted by chunk, so it follows the end of a
 * chunk: up to eight days earlier than the limit of the site.
 * @param chunkEnds ends of the chunks of hits and sessions, Unix milliseconds
 * @returns undefined while no chunk has passed the limit
 */
export function detailsLimit(
  { timezone, retentionMonths }: { timezone: string; retentionMonths: number },
  chunkEnds: readonly number[],
  now: Date,
): number | undefined {
  const today = localDay(timezone, now.getTime())
  const limit = startOfDay(timezone, monthsBefore(today, retentionMonths))
  const starts = chunkEnds
    .map(end => dayStartFrom(timezone, end + SESSION_REACH_MS))
    .filter(start => start <= limit)
  return starts.length > 0 ? Math.max(...starts) : undefined
}

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'

/** Most endpoints of a site. */
export const MOST_ENDPOINTS = 20
/** Most deliveries of an endpoint that wait. Further events are not sent to it; `dropped` counts them. */
export const MOST_WAITING = 10_000
/** How long a delivery is tried. */
export const RETRY_MS = 3 * DAY_MS
/** An endpoint is switched off when all its attempts have failed for so long, and there were so many. */
export const GIVE_UP_MS = 5 * DAY_MS
export const GIVE_UP_FAILURES = 20
/** How long the log of events, deliveries and attempts is kept. */
export const LOG_MS = 30 * DAY_MS
/** Most bytes of an answer that the log has. */
export const ANSWER_BYTES = 1_000
/** Longest time of an attempt. */
export const TIMEOUT_MS = 10_000
/** After this time an attempt without a result counts as lost with its process, and the delivery is due again. */
export const LOST_MS = 2 * MINUTE_MS
/** Longest time that a replaced secret still signs. */
export const MOST_OVERLAP_HOURS = 7 * 24

const FIRST_PAUSE_MS = MINUTE_MS / 2
const LONGEST_PAUSE_MS = 6 * HOUR_MS
/** Part of a pause that is left to chance, so that deliveries that failed together do not come back together. */
const JITTER = 0.2

/**
 * Returns the pause after a failed attempt: 30 seconds, doubled with each attempt, at most 6 hours, and up to a fifth more or less.
 * @param attempt counted from 1
 * @param chance from 0 to 1
 */
export function pauseAfter(attempt: number, chance = Math.random()): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  return Math.round(pause * (1 - JITTER + 2 * JITTER * chance))
}

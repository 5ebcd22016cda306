import { DAY_MS, HOUR_MS } from '../lib/time.ts'

/** Target time of one refresh: the embedded database can do nothing else during it. */
const TARGET_MS = 200
const SHORTEST_MS = HOUR_MS
const LONGEST_MS = 32 * DAY_MS

export interface Pace {
  /** Returns the length of the window to refresh at once, milliseconds. */
  windowMs(): number
  /** @param spanMs length of the refreshed window */
  learn(spanMs: number, tookMs: number): void
}

/** Adapts the refreshed window to the measured times: from one hour for a very large site to 32 days for a small one. */
export function createPace(): Pace {
  let windowMs = 6 * HOUR_MS
  return {
    windowMs: () => windowMs,
    learn(spanMs, tookMs) {
      if (tookMs > 2 * TARGET_MS) windowMs = Math.max(SHORTEST_MS, windowMs / 2)
      else if (tookMs < TARGET_MS / 2 && spanMs > windowMs / 2) windowMs = Math.min(LONGEST_MS, windowMs * 2)
    },
  }
}

const HOUR = 60 * 60_000
/** What a refresh should take: the embedded database does nothing else meanwhile. */
const TARGET_MS = 200
const SHORTEST_MS = HOUR
const LONGEST_MS = 32 * 24 * HOUR

export interface Pace {
  /** How much time to refresh at once, milliseconds. */
  windowMs(): number
  /** @param spanMs the time that was refreshed */
  learn(spanMs: number, tookMs: number): void
}

/** Finds out how long a refreshed window may be: years of a small site at once, an hour of a very large one. */
export function createPace(): Pace {
  let windowMs = 6 * HOUR
  return {
    windowMs: () => windowMs,
    learn(spanMs, tookMs) {
      if (tookMs > 2 * TARGET_MS) windowMs = Math.max(SHORTEST_MS, windowMs / 2)
      else if (tookMs < TARGET_MS / 2 && spanMs > windowMs / 2) windowMs = Math.min(LONGEST_MS, windowMs * 2)
    },
  }
}

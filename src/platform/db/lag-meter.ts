import type { Position } from './wal-position.ts'

/**
 * Measures how far standbys are behind in time: a standby is behind since the moment at which the primary was first seen at a position
 * that the standby has not replayed. Times that the standby itself tells would be wrong: they do not grow while it is cut off.
 * @param longestMs lags above it need not be told apart
 */
export function createLagMeter(longestMs: number) {
  /** Positions of the primary, the oldest first. */
  let samples: { position: Position; at: number }[] = []
  return {
    /** @param at Unix milliseconds */
    record(position: Position, at: number): void {
      samples.push({ position, at })
      // One older sample is kept: a standby that has not replayed it is behind for longer than can be told.
      const firstKept = samples.findIndex(sample => at - sample.at <= longestMs)
      if (firstKept > 1) samples = samples.slice(firstKept - 1)
    },
    /** Returns milliseconds; `Infinity` while the primary has not answered. The time since its latest answer counts as lag. */
    lagOf(replayed: Position, now: number): number {
      const latest = samples.at(-1)
      if (!latest) return Number.POSITIVE_INFINITY
      const missed = samples.find(({ position }) => position > replayed)
      return now - (missed ?? latest).at
    },
  }
}

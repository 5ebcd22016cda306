import { BoundedCache } from '../../infra/bounded-cache.ts'
import type { FairPool } from '../../infra/fair-pool.ts'
import { sizeOf, type ValueSize } from '../../rollups/patterns/match.ts'

/** How long it counts: a range that is over keeps its values, and today's only become more. */
const KEPT_MS = 60_000
const MOST_KEPT = 10_000

const sizes = new WeakMap<object, BoundedCache<ValueSize>>()

/**
 * How large a list of values was a moment ago, so that a pattern that is too costly for it is refused without reading it
 * again: in the embedded database each reading takes some 50 ms from everybody else.
 */
export function recentSizes(patterns: FairPool, now: Date) {
  let cache = sizes.get(patterns)
  if (!cache) {
    cache = new BoundedCache<ValueSize>(MOST_KEPT)
    sizes.set(patterns, cache)
  }
  const kept = cache
  return {
    of: (key: string) => kept.get(key, now.getTime()),
    note(key: string, values: readonly string[]) {
      kept.set(key, sizeOf(values), { bytes: 1, expiresAt: now.getTime() + KEPT_MS })
    },
  }
}

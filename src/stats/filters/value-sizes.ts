import { BoundedCache } from '../../infra/bounded-cache.ts'
import type { FairPool } from '../../infra/fair-pool.ts'
import { sizeOf, type ValueSize } from '../../rollups/patterns/match.ts'

/** Lifetime of an entry: the values of a past range do not change, and those of today only increase. */
const KEPT_MS = 60_000
const MOST_KEPT = 10_000

const sizes = new WeakMap<object, BoundedCache<ValueSize>>()

/**
 * Caches the sizes of value lists, so that a pattern that is too costly for a list is refused without another read of the list:
 * each read blocks the embedded database for about 50 ms.
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

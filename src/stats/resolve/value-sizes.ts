import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../lib/time.ts'
import { sizeOf, type ValueSize } from '../../rollups/patterns/match.ts'
import type { FairPool } from '../../threads/fair-pool.ts'

/** Lifetime of an entry: the values of a past range do not change, and those of today only increase. */
const KEPT_MS = MINUTE_MS
const MOST_KEPT = 10_000

interface Kept {
  size: ValueSize
  /** Unix milliseconds. */
  expiresAt: number
}

const sizes = new WeakMap<object, LRUCache<string, Kept>>()

/**
 * Caches the sizes of value lists, so that a pattern that is too costly for a list is refused without another read of the list:
 * each read blocks the embedded database for about 50 ms.
 */
export function recentSizes(patterns: FairPool, now: Date) {
  let cache = sizes.get(patterns)
  if (!cache) {
    cache = new LRUCache({ max: MOST_KEPT })
    sizes.set(patterns, cache)
  }
  const kept = cache
  return {
    of(key: string): ValueSize | undefined {
      const held = kept.get(key)
      return held && now.getTime() < held.expiresAt ? held.size : undefined
    },
    note(key: string, values: readonly string[]) {
      kept.set(key, { size: sizeOf(values), expiresAt: now.getTime() + KEPT_MS })
    },
  }
}

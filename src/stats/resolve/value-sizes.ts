import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../lib/time.ts'
import type { ValueSize } from '../../rollups/patterns/match.ts'
import type { FairPool } from '../../threads/fair-pool.ts'

/** By the task function of a pool, which guests of the pool share. */
const caches = new WeakMap<FairPool['run'], LRUCache<string, ValueSize>>()

/**
 * Caches the sizes of value lists, so that a pattern that is too costly for a list is refused without another read of the list:
 * each read blocks the embedded database for about 50 ms. An entry lives for a minute: the values of a past range do not change,
 * and those of today only increase.
 */
export function recentSizes(patterns: FairPool): LRUCache<string, ValueSize> {
  const cache = caches.get(patterns.run) ?? new LRUCache({ max: 10_000, ttl: MINUTE_MS })
  caches.set(patterns.run, cache)
  return cache
}

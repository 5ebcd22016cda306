import { LRUCache } from 'lru-cache'
import { FITTING } from '../../../platform/config/machine.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { TotalsCache } from './range-totals.ts'
import type { ValuesCache } from './range-values.ts'

const MIB = 2 ** 20
const SHARE = FITTING.isSmall ? 0.25 : 1

/** Counts of day ranges by `keyOf`. Without it, every query would read and sum the days again: 28 ms of CPU instead of 4. */
export interface RollupCache {
  values: ValuesCache
  totals: TotalsCache
}

const caches = new WeakMap<Db, RollupCache>()

/** Returns the cache of a connection pool; at most 48 MiB, on a small machine 12. */
export function cacheOf(db: Db): RollupCache {
  let cache = caches.get(db)
  if (!cache) {
    cache = {
      values: new LRUCache({ maxSize: 36 * MIB * SHARE }),
      totals: new LRUCache({ maxSize: 12 * MIB * SHARE }),
    }
    caches.set(db, cache)
  }
  return cache
}

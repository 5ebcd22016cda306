import { BoundedCache } from '../../infra/bounded-cache.ts'
import type { Db } from '../../infra/db.ts'
import type { RunTotals } from './run-totals.ts'
import type { RunValues } from './run-values.ts'

const MIB = 2 ** 20

/** Counts of day ranges by `keyOf`. Without it, every query would read and sum the days again. */
export interface RollupCache {
  values: BoundedCache<RunValues>
  totals: BoundedCache<RunTotals>
}

const caches = new WeakMap<Db, RollupCache>()

/** Returns the cache of a connection pool; at most 48 MiB. */
export function cacheOf(db: Db): RollupCache {
  let cache = caches.get(db)
  if (!cache) {
    cache = { values: new BoundedCache(36 * MIB), totals: new BoundedCache(12 * MIB) }
    caches.set(db, cache)
  }
  return cache
}

import { BoundedCache } from '../../infra/bounded-cache.ts'
import type { Db } from '../../infra/db.ts'
import type { RunTotals } from './run-totals.ts'
import type { RunValues } from './run-values.ts'

const MIB = 2 ** 20

/** What runs of days come to, by `keyOf`: so that a day is read and added up once, not with every question. */
export interface FoldCache {
  values: BoundedCache<RunValues>
  totals: BoundedCache<RunTotals>
}

const caches = new WeakMap<Db, FoldCache>()

/** What was read through a pool of connections; 48 MiB at most. */
export function cacheOf(db: Db): FoldCache {
  let cache = caches.get(db)
  if (!cache) {
    cache = { values: new BoundedCache(36 * MIB), totals: new BoundedCache(12 * MIB) }
    caches.set(db, cache)
  }
  return cache
}

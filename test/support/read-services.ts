import type { Db } from '../../src/db/connect.ts'
import { inProcessPatterns } from './in-process-patterns.ts'
import { inProcessPool } from './in-process-pool.ts'

/** Returns what reads of statistics need, without threads, for a caller who may see everything. */
export const readServices = (db: Db, now: Date) => ({
  reads: db,
  rollups: inProcessPool(db),
  patterns: inProcessPatterns(),
  grant: null,
  now: () => now,
})

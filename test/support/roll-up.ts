import type { Db } from '../../src/platform/db/connect.ts'
import type { RollupLimits } from '../../src/storage/rollups/daily/day-values.ts'
import { rollUpDay } from '../../src/storage/rollups/daily/roll-up-day.ts'
import { rollUpSites } from '../../src/storage/rollups/daily/roll-up-sites.ts'

/** Rollups everything there is to roll up at a time. */
export async function rollUpAll(db: Db, now: Date, limits?: RollupLimits): Promise<void> {
  while (await rollUpSites(db, now, day => rollUpDay(db, day, limits), { budgetMs: 10_000 })) {}
}

import type { Db } from '../../src/infra/db.ts'
import { foldDay } from '../../src/rollups/folds/fold-day.ts'
import { foldSites } from '../../src/rollups/folds/fold-sites.ts'
import type { FoldLimits } from '../../src/rollups/folds/merge-tally.ts'

/** Folds everything there is to fold at a time. */
export async function foldAll(db: Db, now: Date, limits?: FoldLimits): Promise<void> {
  while (await foldSites(db, now, day => foldDay(db, day, limits), { budgetMs: 10_000 })) {}
}

import type { Db } from '../infra/db.ts'
import { type Lease, whenFree, whileHolding } from '../infra/lease.ts'
import type { Log } from '../infra/log.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { foldDay } from './folds/fold-day.ts'
import { foldSites } from './folds/fold-sites.ts'
import type { FoldedDay } from './protocol.ts'

/** Name of the lease of whoever refreshes: the scheduler, an import, a backfill. */
export const REFRESHING = 'refreshing'

const EVERY_MS = 10_000
const FOLD_BUDGET_MS = 60_000

/**
 * Runs something that writes far below the horizon, and refreshes behind it: dirty buckets make reads slower, and years
 * of them would make them slow. Numbers are right all the while.
 * @param options.lease that of refreshing, so that nobody else does it at the same time
 * @returns what `run` returns, when nothing is dirty any more
 */
export async function keepRefreshed<Result>(
  options: { db: Db; lease: Lease; log: Log; now: () => Date },
  run: () => Promise<Result>,
): Promise<Result> {
  const { db, lease, log, now } = options
  let round: Promise<unknown> = Promise.resolve()
  let isRunning = false

  async function refreshOnce(): Promise<boolean> {
    let isMore = false
    for (const aggregate of AGGREGATE_NAMES) {
      if (await refreshAggregate(db, aggregate, now())) isMore = true
    }
    return isMore
  }
  const fold = (day: FoldedDay) => foldDay(db, day)
  const complain = (error: unknown) =>
    log.warn({ reason: (error as Error).message }, 'refreshing failed; numbers are right, but slower to read')

  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    round = whileHolding(lease, refreshOnce)
      .catch(complain)
      .finally(() => {
        isRunning = false
      })
  }, EVERY_MS)
  try {
    return await run()
  } finally {
    clearInterval(timer)
    await round
    await whenFree(lease, async () => {
      while (await refreshOnce()) {}
      // Not while it writes: every hit makes its day dirty again.
      while (await foldSites(db, now(), fold, { budgetMs: FOLD_BUDGET_MS })) {}
    }).catch(complain)
  }
}

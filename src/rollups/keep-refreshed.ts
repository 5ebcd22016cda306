import type { Db } from '../infra/db.ts'
import { type Lease, whenFree, whileHolding } from '../infra/lease.ts'
import type { Log } from '../infra/log.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { OPEN_MS } from './folds/cover.ts'
import { foldDay } from './folds/fold-day.ts'
import { foldBehind, foldSites } from './folds/fold-sites.ts'
import type { FoldedDay } from './protocol.ts'
import { analyzeGrown } from './statistics.ts'

/** Name of the lease of whoever refreshes: the scheduler, an import, a backfill. */
export const REFRESHING = 'refreshing'

const EVERY_MS = 10_000
const FOLD_BUDGET_MS = 60_000

/** How far something has come that writes hits in time order. Unix milliseconds. */
export interface Written {
  /** The times that were written so far. */
  from: number
  to: number
  /** What is written from here on is later than this, but for hits that come late; -Infinity while that is not known. */
  until: number
}

/**
 * Runs something that writes far below the horizon, and refreshes behind it: dirty buckets make reads slower, and years
 * of them would make them slow. Numbers are right all the while.
 * @param options.lease that of refreshing, so that nobody else does it at the same time
 * @param run is given a function by which it says how far it has come
 * @returns what `run` returns, when nothing is dirty any more
 */
export async function keepRefreshed<Result>(
  options: { db: Db; lease: Lease; log: Log; now: () => Date },
  run: (onWritten: (written: Written) => void) => Promise<Result>,
): Promise<Result> {
  const { db, lease, log, now } = options
  let round: Promise<unknown> = Promise.resolve()
  let isRunning = false
  let written: Written | undefined

  async function refreshOnce(): Promise<boolean> {
    let isMore = false
    for (const aggregate of AGGREGATE_NAMES) {
      if (await refreshAggregate(db, aggregate, now())) isMore = true
    }
    return isMore
  }
  const fold = (day: FoldedDay) => foldDay(db, day)
  /** Days that are still written to are left for later: every hit makes them dirty again. */
  async function refreshBehind(): Promise<void> {
    await refreshOnce()
    if (!written) return
    await analyzeGrown(db, written)
    const until = written.until - OPEN_MS
    if (Number.isFinite(until)) await foldBehind(db, now(), fold, { until, budgetMs: FOLD_BUDGET_MS })
  }
  const complain = (error: unknown) =>
    log.warn({ reason: (error as Error).message }, 'refreshing failed; numbers are right, but slower to read')

  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    round = whileHolding(lease, refreshBehind)
      .catch(complain)
      .finally(() => {
        isRunning = false
      })
  }, EVERY_MS)
  try {
    return await run(latest => {
      written = latest
    })
  } finally {
    clearInterval(timer)
    await round
    await whenFree(lease, async () => {
      while (await refreshOnce()) {}
      if (written) await analyzeGrown(db, written)
      while (await foldSites(db, now(), fold, { budgetMs: FOLD_BUDGET_MS })) {}
    }).catch(complain)
  }
}

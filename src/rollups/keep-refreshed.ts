import type { Db } from '../db/connect.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { type Lease, whenFree, whileHolding } from '../redis/lease.ts'
import type { Log } from '../runtime/log.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { analyzeGrown } from './columnstore.ts'
import { OPEN_MS } from './daily/coverage.ts'
import { rollUpDay } from './daily/roll-up-day.ts'
import { rollUpBehind, rollUpSites } from './daily/roll-up-sites.ts'
import type { RolledUpDay } from './protocol.ts'

/** Name of the lease for refreshing. The scheduler, imports and backfills share it. */
export const REFRESHING = 'refreshing'

const EVERY_MS = 10_000
const ROLLUP_BUDGET_MS = MINUTE_MS

/** Progress of a task that writes hits in time order. Unix milliseconds. */
export interface Written {
  /** Range of the hit times written so far. */
  from: number
  to: number
  /** All further hits are later than this, except late hits; -Infinity while it is unknown. */
  until: number
}

/**
 * Runs a task that writes far below the watermark, and refreshes the written buckets and days while it runs. Without it,
 * dirty buckets of several years would make reads slow. Readers get correct numbers at all times.
 * @param options.lease the lease for refreshing: no other process refreshes at the same time
 * @param options.signal when it is aborted, the rest is left to the scheduler
 * @param run receives a function that reports its progress
 * @returns the result of `run`, after everything is refreshed
 */
export async function keepRefreshed<Result>(
  options: { db: Db; lease: Lease; log: Log; now: () => Date; signal?: AbortSignal | undefined },
  run: (onWritten: (written: Written) => void) => Promise<Result>,
): Promise<Result> {
  const { db, lease, log, now, signal } = options
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
  const rollUp = (day: RolledUpDay) => rollUpDay(db, day)
  /** Skips days that `run` still writes to: each new hit would mark them dirty again. */
  async function refreshBehind(): Promise<void> {
    await refreshOnce()
    if (!written) return
    await analyzeGrown(db, written)
    const until = written.until - OPEN_MS
    if (Number.isFinite(until)) await rollUpBehind(db, now(), rollUp, { until, budgetMs: ROLLUP_BUDGET_MS })
  }
  async function refreshRest(): Promise<void> {
    while (await refreshOnce()) {}
    if (written) await analyzeGrown(db, written)
    while (await rollUpSites(db, now(), rollUp, { budgetMs: ROLLUP_BUDGET_MS })) {}
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
    // Otherwise the process stops, or the task was canceled: the scheduler refreshes the rest.
    if (!signal?.aborted) await whenFree(lease, refreshRest).catch(complain)
  }
}

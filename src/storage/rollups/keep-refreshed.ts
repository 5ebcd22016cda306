import type { Db } from '../../platform/db/connect.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { type Lease, whenFree, whileHolding } from '../../platform/redis/lease.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { analyzeGrown } from './columnstore.ts'
import { rollUpDay } from './daily/roll-up-day.ts'
import { rollUpBehind, rollUpSites } from './daily/roll-up-sites.ts'
import type { RolledUpDay } from './protocol.ts'
import { OPEN_MS } from './watermarks.ts'

/** Name of the lease for refreshing. The scheduler, imports and backfills share it. */
export const REFRESHING = 'refreshing'

const EVERY_MS = 10_000
/** Time limit of the rollups of one round: the scheduler, which rolls up the days of all other sites, has its turn in between. */
const ROUND_MS = 3_000
const REST_MS = MINUTE_MS

/** Progress of a task that writes hits in time order. Unix milliseconds. */
export interface Written {
  /** Range of the hit times written so far. */
  from: number
  to: number
  /** All further hits are later than this, except late hits; -Infinity while it is unknown. */
  until: number
}

/** Refreshes buckets and days that tasks write far below the watermark, in rounds while they run and until everything is refreshed. */
export interface Refresher {
  /**
   * Runs a task that writes; several may run at the same time.
   * @param run receives a function that reports its progress
   */
  during<Result>(run: (onWritten: (written: Written) => void) => Promise<Result>): Promise<Result>
  /** Ends the rounds. The scheduler refreshes the rest. */
  stop(): Promise<void>
  /** Ends the rounds, and refreshes everything if a task has run. */
  finish(): Promise<void>
}

interface RefreshOptions {
  db: Db
  /** The lease for refreshing: no other process refreshes at the same time. */
  lease: Lease
  log: Log
  now: () => Date
  /** Called after each day that was rolled up, of whatever site, with its first moment in Unix milliseconds. */
  onRolledUp?: ((start: number) => void) | undefined
}

/** Without it, dirty buckets of several years would make reads slow. Readers get correct numbers at all times. */
export function createRefresher(
  { db, lease, log, now, onRolledUp }: RefreshOptions,
  everyMs = EVERY_MS,
): Refresher {
  const tasks = new Set<{ written?: Written; isOver?: true }>()
  let hasRest = false
  let round: Promise<unknown> | undefined
  let timer: NodeJS.Timeout | undefined

  async function refreshOnce(): Promise<boolean> {
    let isMore = false
    for (const aggregate of AGGREGATE_NAMES) {
      if (await refreshAggregate(db, aggregate, now())) isMore = true
    }
    return isMore
  }
  async function rollUp(day: RolledUpDay): Promise<undefined> {
    await rollUpDay(db, day)
    onRolledUp?.(day.start)
  }

  async function refreshSome(): Promise<void> {
    const ended = [...tasks].filter(({ isOver }) => isOver)
    const isMore = await refreshOnce()
    await analyzeWritten()
    for (const task of ended) tasks.delete(task)
    if (ended.length > 0) hasRest = true
    if (tasks.size > 0) await rollUpPassed()
    else if (hasRest) hasRest = (await rollUpSites(db, now(), rollUp, { budgetMs: ROUND_MS })) || isMore
    if (tasks.size === 0 && !hasRest) endRounds()
  }
  async function analyzeWritten(): Promise<void> {
    for (const { written } of tasks) if (written) await analyzeGrown(db, written)
  }
  /** Skips days that a task still writes to: each new hit would mark them dirty again. */
  async function rollUpPassed(): Promise<void> {
    const times = [...tasks].map(({ written }) => written?.until ?? Number.NEGATIVE_INFINITY)
    const known = times.filter(Number.isFinite)
    if (known.length === 0) return
    await rollUpBehind(db, now(), rollUp, { until: Math.min(...known) - OPEN_MS, budgetMs: ROUND_MS })
  }
  async function refreshRest(): Promise<void> {
    while (await refreshOnce()) {}
    await analyzeWritten()
    while (await rollUpSites(db, now(), rollUp, { budgetMs: REST_MS })) {}
  }
  const complain = (error: unknown) =>
    log.warn({ reason: (error as Error).message }, 'refreshing failed; numbers are right, but slower to read')

  function beginRounds(): void {
    timer ??= setInterval(() => {
      round ??= whileHolding(lease, refreshSome)
        .catch(complain)
        .finally(() => {
          round = undefined
        })
    }, everyMs)
  }
  function endRounds(): void {
    clearInterval(timer)
    timer = undefined
  }

  async function stop(): Promise<void> {
    endRounds()
    await round
  }
  return {
    async during(run) {
      const task: { written?: Written; isOver?: true } = {}
      tasks.add(task)
      beginRounds()
      try {
        return await run(written => {
          task.written = written
        })
      } finally {
        task.isOver = true
      }
    },
    stop,
    async finish() {
      await stop()
      if (hasRest || tasks.size > 0) await whenFree(lease, refreshRest).catch(complain)
    },
  }
}

/** Runs a task that writes, and refreshes what it writes. @returns its result, after everything is refreshed */
export async function keepRefreshed<Result>(
  options: RefreshOptions,
  run: (onWritten: (written: Written) => void) => Promise<Result>,
): Promise<Result> {
  const refresher = createRefresher(options)
  try {
    return await refresher.during(run)
  } finally {
    await refresher.finish()
  }
}

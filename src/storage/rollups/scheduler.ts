import type { Db } from '../../platform/db/connect.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { RedisClient } from '../../platform/redis/client.ts'
import { rewriteOnceADay } from '../../platform/redis/connect-redis.ts'
import { type Lease, whileHolding } from '../../platform/redis/lease.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { mergeNewStamps } from '../columns/stamps.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { compressSettledChunks } from './columnstore.ts'
import type { RollUpDay } from './daily/roll-up-again.ts'
import { rollUpSites } from './daily/roll-up-sites.ts'

const TICK_MS = 5_000
const STAMPS_MS = 10_000
/** Time limit of one round of rollups: without it, other jobs would wait too long. */
const ROLLUP_BUDGET_MS = 10_000

export interface Job {
  name: string
  everyMs: number
  /** True when the job needs the lease for refreshing: only one process may refresh, and imports and backfills do so too. */
  isRefresh?: boolean
  /** @returns true when more work remains, so that the job is due again immediately */
  run: (stores: Stores, now: Date) => Promise<unknown>
}

interface Stores {
  db: Db
  redis: RedisClient
  rollUp: RollUpDay
}

/** Maintenance jobs of the stores. They run one at a time, in one process of the whole cluster. */
const JOBS: Job[] = [
  ...AGGREGATE_NAMES.map(aggregate => ({
    name: `refresh ${aggregate}`,
    everyMs: MINUTE_MS,
    isRefresh: true,
    run: ({ db }: Stores, now: Date) => refreshAggregate(db, aggregate, now),
  })),
  {
    name: 'rollup',
    everyMs: MINUTE_MS,
    isRefresh: true,
    run: ({ db, rollUp }, now) => rollUpSites(db, now, rollUp, { budgetMs: ROLLUP_BUDGET_MS }),
  },
  { name: 'stamps', everyMs: STAMPS_MS, run: ({ db }) => mergeNewStamps(db) },
  { name: 'stamps of all sites', everyMs: 10 * MINUTE_MS, run: ({ db }) => mergeNewStamps(db, 1) },
  { name: 'compress', everyMs: HOUR_MS, run: ({ db }, now) => compressSettledChunks(db, now) },
  { name: 'forget expired keys', everyMs: HOUR_MS, run: ({ redis }, now) => rewriteOnceADay(redis, now) },
]

export interface Scheduler {
  /** Waits for the running job, then releases the lease. */
  stop(): Promise<void>
}

/** Returns whether a job is due. A wait that is longer than its own pause means that the clock was set back. */
export const isDue = (dueAt: number, everyMs: number, now: number): boolean =>
  now >= dueAt || dueAt - now > everyMs

/**
 * Runs the jobs whenever this process holds the lease. A failed job is logged and runs again later.
 * @param options.rollUp runs `rollUpDay` in a place where it does not delay requests
 * @param options.jobs additional jobs, which run after the built-in ones
 * @param options.refreshing the lease for refreshing, which imports and backfills share
 */
export function startScheduler(options: {
  db: Db
  redis: RedisClient
  rollUp: RollUpDay
  lease: Lease
  refreshing: Lease
  log: Log
  now: () => Date
  jobs?: readonly Job[]
}): Scheduler {
  const { db, redis, rollUp, lease, refreshing, log, now, jobs = [] } = options
  const dueAt = new Map<string, number>()
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  let prolonging: NodeJS.Timeout | undefined

  async function tick() {
    if (!(await lease.hold())) return
    // Renew the lease during a long job: otherwise another process would take it.
    prolonging = setInterval(() => void lease.hold().catch(() => {}), TICK_MS)
    for (const job of [...JOBS, ...jobs]) {
      if (isStopping) break
      if (!isDue(dueAt.get(job.name) ?? 0, job.everyMs, now().getTime())) continue
      const startedAt = performance.now()
      const run = () => job.run({ db, redis, rollUp }, now())
      // Due again at once: more work remains, or an import is refreshing, which gives the lease back after seconds.
      let isMore = false
      try {
        const done = job.isRefresh ? await whileHolding(refreshing, run) : { result: await run() }
        isMore = done === undefined || done.result === true
        log.debug({ job: job.name, ms: Math.round(performance.now() - startedAt) }, 'job done')
      } catch (error) {
        log.warn({ job: job.name, error }, 'job failed; it will run again')
      }
      dueAt.set(job.name, isMore ? 0 : now().getTime() + job.everyMs)
    }
  }

  function runTick() {
    running = tick()
      .catch(error => log.warn({ reason: (error as Error).message }, 'scheduler'))
      .finally(() => clearInterval(prolonging))
      .then(() => {
        if (!isStopping) timer = setTimeout(runTick, TICK_MS)
      })
  }

  let timer: NodeJS.Timeout | undefined
  runTick()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await running
      await lease.release().catch(() => {})
    },
  }
}

import type { Redis } from 'ioredis'
import type { Db } from '../infra/db.ts'
import { type Lease, whileHolding } from '../infra/lease.ts'
import type { Log } from '../infra/log.ts'
import { rewriteOnceADay } from '../infra/redis.ts'
import { AGGREGATE_NAMES, refreshAggregate } from './aggregates.ts'
import { compressSettledChunks } from './columnstore.ts'
import { foldSites } from './folds/fold-sites.ts'
import type { FoldDay } from './folds/round.ts'
import { purgeDeletedSites } from './purge.ts'

const TICK_MS = 5_000
const MINUTE = 60_000
/** What a round of folding may take, so that the other jobs have their turn. */
const FOLD_BUDGET_MS = 10_000

export interface Job {
  name: string
  everyMs: number
  /** Something that only one process may do at once, whoever starts it. */
  isRefresh?: boolean
  /** @returns true when there is more to do at once */
  run: (stores: Stores, now: Date) => Promise<unknown>
}

interface Stores {
  db: Db
  redis: Redis
  fold: FoldDay
}

/** What the stores need, one job at a time, in one process of the whole cluster. */
const JOBS: Job[] = [
  ...AGGREGATE_NAMES.map(aggregate => ({
    name: `refresh ${aggregate}`,
    everyMs: MINUTE,
    isRefresh: true,
    run: ({ db }: Stores, now: Date) => refreshAggregate(db, aggregate, now),
  })),
  {
    name: 'fold',
    everyMs: MINUTE,
    isRefresh: true,
    run: ({ db, fold }, now) => foldSites(db, now, fold, { budgetMs: FOLD_BUDGET_MS }),
  },
  { name: 'purge', everyMs: 10_000, run: ({ db }, now) => purgeDeletedSites(db, now) },
  { name: 'compress', everyMs: 60 * MINUTE, run: ({ db }, now) => compressSettledChunks(db, now) },
  { name: 'forget expired keys', everyMs: 60 * MINUTE, run: ({ redis }, now) => rewriteOnceADay(redis, now) },
]

export interface Scheduler {
  /** Waits for the running job, then gives the lease away. */
  stop(): Promise<void>
}

/**
 * Runs the jobs whenever this process holds the lease. A job that fails is logged and comes again.
 * @param options.fold runs `foldDay` where it keeps nobody waiting
 * @param options.jobs what else is to be done, in turn with the rest
 * @param options.refreshing the lease of whoever refreshes: imports and backfills do so too
 */
export function startScheduler(options: {
  db: Db
  redis: Redis
  fold: FoldDay
  lease: Lease
  refreshing: Lease
  log: Log
  now: () => Date
  jobs?: readonly Job[]
}): Scheduler {
  const { db, redis, fold, lease, refreshing, log, now, jobs = [] } = options
  const dueAt = new Map<string, number>()
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  let prolonging: NodeJS.Timeout | undefined

  async function tick() {
    if (!(await lease.hold())) return
    // A long job must not lose the lease to another process.
    prolonging = setInterval(() => void lease.hold().catch(() => {}), TICK_MS)
    for (const job of [...JOBS, ...jobs]) {
      if (isStopping || now().getTime() < (dueAt.get(job.name) ?? 0)) continue
      const startedAt = performance.now()
      const run = () => job.run({ db, redis, fold }, now())
      let isMore = false
      try {
        const done = job.isRefresh ? await whileHolding(refreshing, run) : { result: await run() }
        isMore = done?.result === true
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

import { workerData } from 'node:worker_threads'
import { AppError } from '../src/errors.ts'
import { abandonWhen } from '../src/infra/abandon.ts'
import { connectDb, translateDbError } from '../src/infra/db.ts'
import { tasks } from '../src/rollups/tasks.ts'

/** A rollup thread: maps task names to rollups, with a database connection of its own. */
const { databaseUrl, timeout } = workerData as { databaseUrl: string; timeout?: string }
const isForCaller = timeout === undefined
/** Callers are answered after ten seconds whatever happens. */
const PATIENCE_MS = 10_000
const db = connectDb(databaseUrl, {
  max: 2,
  name: isForCaller ? 'analytics-rollup' : 'analytics-folds',
  // These statements are few and their rows too: planning them for each call, compiling them or starting workers for them
  // takes longer than running them. Which chunks they touch is found out when they run.
  settings: {
    statement_timeout: timeout ?? '9s',
    plan_cache_mode: 'force_generic_plan',
    max_parallel_workers_per_gather: '0',
    work_mem: '32MB',
    jit: 'off',
  },
})

export default async function run({ task, input }: { task: keyof typeof tasks; input: never }) {
  try {
    const work = (): Promise<unknown> => tasks[task](db, input)
    return { value: isForCaller ? await abandonWhen(AbortSignal.timeout(PATIENCE_MS), work) : await work() }
  } catch (error) {
    const known = translateDbError(error)
    if (!(known instanceof AppError)) throw error
    // What crosses to the other thread is cloned, and an error of our own would lose its class.
    return { failure: { code: known.code, message: known.message, retryAfter: known.retryAfter } }
  }
}

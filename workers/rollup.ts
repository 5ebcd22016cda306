import { workerData } from 'node:worker_threads'
import { abandonWhen } from '../src/db/abandon.ts'
import { connectDb } from '../src/db/connect.ts'
import { translateDbError } from '../src/db/errors.ts'
import { AppError } from '../src/errors.ts'
import { tasks } from '../src/rollups/tasks.ts'

/** Entry of a rollup thread: runs rollup tasks by name, with its own database connections. */
const { databaseUrl, timeout } = workerData as { databaseUrl: string; timeout?: string }
const isForCaller = timeout === undefined
/** A caller gets an answer after at most ten seconds: statements of its task are cancelled then. */
const PATIENCE_MS = 10_000
const db = connectDb(databaseUrl, {
  max: 2,
  name: isForCaller ? 'analytics-rollup' : 'analytics-rollups',
  // There are few statements, and they handle few rows: planning each call, JIT compilation or starting parallel workers
  // takes longer than the statement itself. A generic plan still selects the chunks at run time.
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
    // Values between threads are structured-cloned: an AppError would lose its class, so pass its fields.
    return { failure: { code: known.code, message: known.message, retryAfter: known.retryAfter } }
  }
}

import { workerData } from 'node:worker_threads'
import { abandonWhen } from '../src/platform/db/abandon.ts'
import { connectDb } from '../src/platform/db/connect.ts'
import { sqlState, translateDbError } from '../src/platform/db/database-errors.ts'
import { AppError } from '../src/platform/errors.ts'
import { tasks } from '../src/storage/rollups/tasks.ts'

/** Entry of a rollup thread: runs rollup tasks by name, with its own database connections. */
const { databaseUrl, replicaUrls, timeout } = workerData as {
  databaseUrl: string
  /** Hot standbys, which tasks name by their index from 1 on. */
  replicaUrls?: string[]
  timeout?: string
}
const isForCaller = timeout === undefined
/** A caller gets an answer after at most ten seconds: statements of its task are cancelled then. */
const PATIENCE_MS = 10_000
const servers = [databaseUrl, ...(replicaUrls ?? [])].map(url =>
  connectDb(url, {
    max: 2,
    name: isForCaller ? 'analytics-rollup' : 'analytics-rollups',
    pool: isForCaller ? 'rollup' : 'rollups',
    ...(!isForCaller && { settings: { statement_timeout: timeout } }),
  }),
)

interface Task {
  task: keyof typeof tasks
  input: never
  server?: number
}

export default async function run({ task, input, server = 0 }: Task) {
  try {
    const work = (): Promise<unknown> => tasks[task](servers[server]!, input)
    return { value: isForCaller ? await abandonWhen(AbortSignal.timeout(PATIENCE_MS), work) : await work() }
  } catch (error) {
    const known = translateDbError(error)
    if (!(known instanceof AppError)) throw error
    // Values between threads are structured-cloned: an AppError would lose its class, so pass its fields.
    const { code, message, retryAfter } = known
    return { failure: { code, message, retryAfter, cause: sqlState(known.cause) } }
  }
}

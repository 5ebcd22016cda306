import { Piscina } from 'piscina'
import { AppError, type ErrorCode } from '../errors.ts'

/** Runs named tasks in threads. Inputs and results are structured-cloned. */
export interface Pool {
  /**
   * @param signal when it aborts, the task has a grace time to end by itself. After that a waiting task is removed, and the
   * thread of a running task is ended
   * @throws AppError `unavailable` when the threads cannot take or finish the task now
   */
  run(task: string, input: unknown, signal?: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** Threads that work with one of several servers; `on` returns the same threads for the server of that index. */
export interface ThreadPool extends Pool {
  on(server: number): Pool
}

/** Answer of a thread's entry. `cause` is the SQLSTATE or driver code of a failed statement. */
export type TaskAnswer =
  | { value: unknown }
  | {
      failure: {
        code: ErrorCode
        message: string
        retryAfter: number | undefined
        cause?: string | undefined
      }
    }

/** Most tasks that wait for a thread. */
const MAX_WAITING = 1_000
/** How long an idle thread is kept, if its caches are of little use. */
const IDLE_MS = 30_000
/** Grace time of an aborted task. To end its thread costs about 100 ms, the time to start a new one. */
const GRACE_MS = 2_000

/**
 * Returns a pool of threads, which start for tasks and end when they have none.
 * @param options.entry file of the threads; its default export takes `{ task, input, server }` and returns a TaskAnswer
 * @param options.threads largest number of threads
 * @param options.idleMs how long an idle thread is kept; default 30 s
 * @param options.tasksPerThread tasks that a thread runs at once; more than one for tasks that wait for a database
 * @param options.graceMs how long an aborted task may go on
 * @param options.heapMb JavaScript heap limit of a thread; beyond it only the tasks of this thread fail
 * @param options.workerData passed to every thread at its start
 */
export function createPool(options: {
  entry: URL
  threads: number
  workerData?: unknown
  idleMs?: number
  tasksPerThread?: number
  heapMb?: number
  graceMs?: number
}): ThreadPool {
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: 0,
    idleTimeout: options.idleMs ?? IDLE_MS,
    maxThreads: options.threads,
    maxQueue: MAX_WAITING,
    concurrentTasksPerWorker: options.tasksPerThread ?? 1,
    atomics: 'disabled',
    workerData: options.workerData,
    ...(options.heapMb && { resourceLimits: { maxOldGenerationSizeMb: options.heapMb } }),
  })
  /**
   * Piscina does not replace a thread that was ended, so waiting tasks would not start until another task is added. This adds one. Its
   * name is unknown to the threads, so it fails.
   */
  const wake = () => {
    if (piscina.queueSize > 0) piscina.run({ task: 'none' }).catch(() => {})
  }
  const on = (server: number): Pool => ({
    async run(task, input, signal) {
      if (piscina.queueSize >= MAX_WAITING) {
        throw new AppError('unavailable', 'Too many reads at once; try again shortly', { retryAfter: 1 })
      }
      const answer: TaskAnswer = await withGrace(signal, options.graceMs ?? GRACE_MS, ended =>
        piscina.run({ task, input, server }, { signal: ended }),
      ).catch(error => {
        setImmediate(wake)
        if (!isEnded(error)) throw error
        throw new AppError('unavailable', TAKES_TOO_LONG, { retryAfter: 5, cause: error })
      })
      if ('value' in answer) return answer.value
      const { code, message, retryAfter, cause } = answer.failure
      throw new AppError(code, message, {
        ...(retryAfter !== undefined && { retryAfter }),
        ...(cause !== undefined && { cause: { code: cause } }),
      })
    },
    close: () => piscina.close(),
  })
  return { ...on(0), on }
}

/**
 * Aborts a task only when it does not end by itself in time: the abort ends its thread, and the caches of the thread are lost.
 */
async function withGrace<Result>(
  signal: AbortSignal | undefined,
  graceMs: number,
  run: (ended: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => ended.abort(), graceMs)
    timer.unref()
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    signal?.throwIfAborted()
    return await run(signal ? ended.signal : null)
  } finally {
    signal?.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}

const TAKES_TOO_LONG = 'The answer takes too long or too much memory; ask for less, or try again shortly'

/** True when the abort signal or the heap limit ended the task. */
function isEnded(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException
  return name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
}

import { Piscina } from 'piscina'
import { AppError, type ErrorCode } from '../errors.ts'

/** Runs named tasks in threads. What crosses is structured-cloned. */
export interface Pool {
  /**
   * @param signal when it aborts, a task that waits is left out; one that runs has a moment to end by itself before its
   * thread is ended
   * @throws AppError `unavailable` when the threads cannot take or finish the task now
   */
  run(task: string, input: unknown, signal?: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** What a thread's entry answers. */
export type TaskAnswer =
  | { value: unknown }
  | { failure: { code: ErrorCode; message: string; retryAfter: number | undefined } }

/** Tasks that may wait for a thread. */
const MAX_WAITING = 1_000
/** How long a thread without a task is kept where none has to be. */
const IDLE_MS = 30_000
/** Starting another thread in place of one that was ended takes some 100 ms. */
const GRACE_MS = 2_000

/**
 * @param options.entry file of the threads, whose default export takes `{ task, input }` and gives a TaskAnswer
 * @param options.threads most threads, which are kept alive
 * @param options.isIdle none is started before there is a task, and none stays without one
 * @param options.tasksPerThread that a thread has at once; those that wait for a database can be several
 * @param options.graceMs how long a task that nobody waits for any more may go on
 * @param options.heapMb most memory of a thread for JavaScript's objects: who goes beyond fails alone
 * @param options.workerData handed to every thread at its start
 */
export function createPool(options: {
  entry: URL
  threads: number
  workerData?: unknown
  isIdle?: boolean
  tasksPerThread?: number
  heapMb?: number
  graceMs?: number
}): Pool {
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: options.isIdle ? 0 : options.threads,
    idleTimeout: options.isIdle ? IDLE_MS : 0,
    maxThreads: options.threads,
    maxQueue: MAX_WAITING,
    concurrentTasksPerWorker: options.tasksPerThread ?? 1,
    atomics: 'disabled',
    workerData: options.workerData,
    ...(options.heapMb && { resourceLimits: { maxOldGenerationSizeMb: options.heapMb } }),
  })
  /**
   * Piscina replaces a thread that ended only up to `minThreads`: where that is none, tasks that wait would go on waiting
   * until somebody hands it another. This one is no thread's task, and fails.
   */
  const wake = () => {
    if (piscina.queueSize > 0) piscina.run({ task: 'none' }).catch(() => {})
  }
  return {
    async run(task, input, signal) {
      if (piscina.queueSize >= MAX_WAITING) {
        throw new AppError('unavailable', 'Too many reads at once; try again shortly', { retryAfter: 1 })
      }
      const answer: TaskAnswer = await withGrace(signal, options.graceMs ?? GRACE_MS, ended =>
        piscina.run({ task, input }, { signal: ended }),
      ).catch(error => {
        if (!isEnded(error)) throw error
        setImmediate(wake)
        throw new AppError('unavailable', TAKES_TOO_LONG, { retryAfter: 5, cause: error })
      })
      if ('value' in answer) return answer.value
      const { code, message, retryAfter } = answer.failure
      throw new AppError(code, message, retryAfter === undefined ? {} : { retryAfter })
    },
    close: () => piscina.close(),
  }
}

/**
 * Aborting a task that runs ends its thread, and what the thread had learned: for a task that does not end by itself.
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

/** By our signal, or because its memory came to an end. */
function isEnded(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException
  return name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
}

import { Piscina } from 'piscina'
import { AppError, type ErrorCode } from '../errors.ts'

/** Runs named tasks in threads. What crosses is structured-cloned. */
export interface Pool {
  /** @throws AppError `unavailable` when the threads cannot take or finish the task now */
  run(task: string, input: unknown): Promise<unknown>
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

/**
 * @param options.entry file of the threads, whose default export takes `{ task, input }` and gives a TaskAnswer
 * @param options.threads most threads, which are kept alive
 * @param options.isIdle none is started before there is a task, and none stays without one
 * @param options.workerData handed to every thread at its start
 */
export function createPool(options: {
  entry: URL
  threads: number
  workerData: unknown
  isIdle?: boolean
}): Pool {
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: options.isIdle ? 0 : options.threads,
    idleTimeout: options.isIdle ? IDLE_MS : 0,
    maxThreads: options.threads,
    maxQueue: MAX_WAITING,
    // A task waits for its database most of the time.
    concurrentTasksPerWorker: 4,
    atomics: 'disabled',
    workerData: options.workerData,
  })
  return {
    async run(task, input) {
      if (piscina.queueSize >= MAX_WAITING) {
        throw new AppError('unavailable', 'Too many reads at once; try again shortly', { retryAfter: 1 })
      }
      const answer: TaskAnswer = await piscina.run({ task, input })
      if ('value' in answer) return answer.value
      const { code, message, retryAfter } = answer.failure
      throw new AppError(code, message, retryAfter === undefined ? {} : { retryAfter })
    },
    close: () => piscina.close(),
  }
}

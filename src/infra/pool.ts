import { Piscina } from 'piscina'
import { AppError } from '../errors.ts'

/** Runs named tasks in threads. What crosses is structured-cloned. */
export interface Pool {
  /** @throws AppError `unavailable` when the threads cannot take or finish the task now */
  run(task: string, input: unknown): Promise<unknown>
  close(): Promise<void>
}

/**
 * @param options.entry file of the thread's entry; its named exports are not used, it receives `{ task, input }`
 * @param options.threads threads kept alive
 * @param options.workerData handed to every thread at its start
 */
export function createPool(options: { entry: URL; threads: number; workerData: unknown }): Pool {
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: options.threads,
    maxThreads: options.threads,
    maxQueue: 1_000,
    concurrentTasksPerWorker: 4,
    atomics: 'disabled',
    workerData: options.workerData,
  })
  return {
    async run(task, input) {
      try {
        return await piscina.run({ task, input })
      } catch (error) {
        throw restoreError(error)
      }
    },
    close: () => piscina.close(),
  }
}

/** An AppError loses its class on the way out of a thread, but keeps its fields. */
function restoreError(error: unknown): unknown {
  const plain = error as { name?: string; code?: never; message?: string; retryAfter?: number }
  if (plain?.name === 'AppError') {
    return new AppError(plain.code as never, plain.message ?? '', {
      ...(plain.retryAfter === undefined ? {} : { retryAfter: plain.retryAfter }),
      cause: error,
    })
  }
  if (plain?.message === 'Task queue is at limit' || plain?.message === 'Terminating worker thread') {
    return new AppError('unavailable', 'Too many reads at once; try again shortly', { retryAfter: 1, cause: error })
  }
  return error
}

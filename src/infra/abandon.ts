import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../errors.ts'

/** What everything that is awaited within a call can see. */
const calls = new AsyncLocalStorage<AbortSignal>()

/**
 * Runs a read whose statements are cancelled when `signal` aborts: nobody waits for the answer any more, and where statements
 * queue for one session those that have not begun would keep others waiting.
 */
export function abandonWhen<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  return calls.run(signal, run)
}

interface Cancellable<Rows> extends Promise<Rows> {
  cancel(): unknown
}

/**
 * A statement of such a read. Outside of one it runs to its end.
 * @throws AppError `unavailable` when nobody waits for it before it has begun
 */
export function abandonable<Rows>(statement: Cancellable<Rows>): Promise<Rows> {
  const signal = calls.getStore()
  if (!signal) return statement
  if (signal.aborted) {
    return Promise.reject(new AppError('unavailable', 'The answer takes too long; try again shortly'))
  }
  const cancel = () => void statement.cancel()
  const forget = () => signal.removeEventListener('abort', cancel)
  signal.addEventListener('abort', cancel)
  statement.then(forget, forget)
  return statement
}

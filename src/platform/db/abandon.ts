import { AsyncLocalStorage } from 'node:async_hooks'
import { setMaxListeners } from 'node:events'
import { AppError } from '../errors.ts'

const calls = new AsyncLocalStorage<AbortSignal>()

/**
 * Runs a read and cancels its statements when `signal` aborts, since its answer is not needed any more. Without this,
 * statements that queue for a single session would delay those of other callers.
 */
export function abandonWhen<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  // A read may run more statements at once than the 10 listeners after which Node warns of a leak.
  setMaxListeners(0, signal)
  return calls.run(signal, run)
}

const tooLate = () => new AppError('unavailable', 'The answer takes too long; try again shortly')

/** A statement of the driver: what its `cancel()` calls. */
interface Cancellable {
  canceller?: ((statement: Cancellable) => Promise<void>) | null
}

/**
 * Runs a statement that the signal of `abandonWhen` cancels. Outside of `abandonWhen` the statement runs to its end.
 * @throws AppError `unavailable` when the signal aborted before the statement began
 */
export function abandonable<Rows>(statement: Promise<Rows> & Cancellable): Promise<Rows> {
  const signal = calls.getStore()
  if (!signal) return statement
  if (signal.aborted) return Promise.reject(tooLate())
  const cancel = () => {
    // The driver's `cancel()` leaves a refusal unhandled. A server that cannot be told has closed the connection of the statement, too.
    void statement.canceller?.(statement).catch(() => {})
    statement.canceller = null
  }
  const forget = () => signal.removeEventListener('abort', cancel)
  signal.addEventListener('abort', cancel)
  statement.then(forget, forget)
  return statement
}

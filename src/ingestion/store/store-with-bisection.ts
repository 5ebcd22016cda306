import { isDataFault, isRetryable, sqlState } from '../../db/errors.ts'
import { type RetryOptions, retry } from '../../lib/retry.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Log } from '../../runtime/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { addStored, nothingStored, type Stored } from './store.ts'

const RETRY_MS = 500
/** Time that a command retries while the database is unavailable. */
const COMMAND_RETRIES_MS = MINUTE_MS

/** Two partitions can insert the same visitor when a sender sends an id that was derived from an address. */
const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/**
 * Retries without limit, except for data faults (unique violations get three attempts): other failures are temporary or need an
 * operator.
 */
export const STORE_RETRY = {
  shouldRetry: (error: unknown, attempt: number) =>
    !isDataFault(error) || (isUniqueViolation(error) && attempt < 3),
  delayMs: (attempt: number, error: unknown) =>
    isRetryable(error) ? Math.min(20 * attempt, RETRY_MS) : RETRY_MS,
} satisfies RetryOptions

/** Retries with `STORE_RETRY` for at most a minute: a command must not block its terminal longer. */
export const retryForAMinute = <Result>(log: Log, run: () => Promise<Result>): Promise<Result> =>
  retry(run, {
    ...STORE_RETRY,
    withinMs: COMMAND_RETRIES_MS,
    onRetry: (error, attempt) => log.warn({ reason: (error as Error).message, attempt }, 'storing waits'),
  })

/**
 * Stores a batch. On a data fault, bisects the batch until it has isolated the hits that cannot be stored.
 * @param reject called with each hit that cannot be stored
 * @throws any error of `store` that is not a data fault
 */
export async function storeWithBisection(
  hits: EnrichedHit[],
  store: (hits: EnrichedHit[]) => Promise<Stored>,
  reject: (hit: EnrichedHit, error: unknown) => Promise<void>,
): Promise<Stored> {
  if (hits.length === 0) return nothingStored()
  try {
    return await store(hits)
  } catch (error) {
    if (!isDataFault(error)) throw error
    if (hits.length === 1) {
      await reject(hits[0]!, error)
      return nothingStored()
    }
    const middle = hits.length >> 1
    const first = await storeWithBisection(hits.slice(0, middle), store, reject)
    const second = await storeWithBisection(hits.slice(middle), store, reject)
    return addStored(first, second)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { isDataFault, isRetryable, sqlState } from '../../infra/db.ts'
import type { Log } from '../../infra/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { addStored, nothingStored, type Stored } from './store.ts'

const RETRY_MS = 500
/** Time that a command retries while the database is unavailable. */
const COMMAND_PATIENCE_MS = 60_000

/** Two partitions can insert the same visitor when a sender sends an id that was derived from an address. */
const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/**
 * Retries `run` until it succeeds or `isPatient` returns false. Throws data faults at once (unique violations after three
 * attempts); other failures are temporary or need an operator.
 */
export async function persistently<Result>(
  run: () => Promise<Result>,
  options: { isPatient: () => boolean; onWait: (error: unknown, attempt: number) => void },
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (isDataFault(error) && !(isUniqueViolation(error) && attempt < 3)) throw error
      if (!options.isPatient()) throw error
      options.onWait(error, attempt)
      await sleep(isRetryable(error) ? Math.min(20 * attempt, RETRY_MS) : RETRY_MS)
    }
  }
}

/** Retries like `persistently`, but for at most a minute: a command must not block its terminal longer. */
export function forAMinute<Result>(log: Log, run: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + COMMAND_PATIENCE_MS
  return persistently(run, {
    isPatient: () => performance.now() < giveUpAt,
    onWait: (error, attempt) => log.warn({ reason: (error as Error).message, attempt }, 'storing waits'),
  })
}

/**
 * Stores a batch. On a data fault, bisects the batch until it has isolated the hits that cannot be stored, and passes them
 * to `bury`.
 * @throws any error of `store` that is not a data fault
 */
export async function storeSound(
  hits: EnrichedHit[],
  store: (hits: EnrichedHit[]) => Promise<Stored>,
  bury: (hit: EnrichedHit, error: unknown) => Promise<void>,
): Promise<Stored> {
  if (hits.length === 0) return nothingStored()
  try {
    return await store(hits)
  } catch (error) {
    if (!isDataFault(error)) throw error
    if (hits.length === 1) {
      await bury(hits[0]!, error)
      return nothingStored()
    }
    const middle = hits.length >> 1
    const first = await storeSound(hits.slice(0, middle), store, bury)
    const second = await storeSound(hits.slice(middle), store, bury)
    return addStored(first, second)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { isDataFault, isRetryable, sqlState } from '../../infra/db.ts'
import type { Log } from '../../infra/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { addStored, nothingStored, type Stored } from './store.ts'

const RETRY_MS = 500
/** How long a command waits for a database that is away. */
const COMMAND_PATIENCE_MS = 60_000

/** Two partitions may meet in one visitor, when a sender uses an id that was made of an address. */
const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/**
 * Runs until it succeeds, for as long as `isPatient`. Only what fails because of its values is thrown at once: everything
 * else passes, or waits for somebody to look.
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

/** Runs as `persistently` does, but not longer than somebody at a command line would wait. */
export function forAMinute<Result>(log: Log, run: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + COMMAND_PATIENCE_MS
  return persistently(run, {
    isPatient: () => performance.now() < giveUpAt,
    onWait: (error, attempt) => log.warn({ reason: (error as Error).message, attempt }, 'storing waits'),
  })
}

/**
 * Stores a batch; when its data is at fault, halves it until the hits that cannot be stored stand alone.
 * @throws what `store` throws that is no fault of the data
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

import { setTimeout as sleep } from 'node:timers/promises'
import { isDataFault, isRetryable, sqlState } from '../../infra/db.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Stored } from './store.ts'

const RETRY_MS = 500

/**
 * Runs until it succeeds. Only what fails because of its values is thrown: everything else passes, or waits for somebody
 * to look.
 * @param onFailure may throw, or wait, to give up
 */
export async function persistently<Result>(
  run: () => Promise<Result>,
  onFailure: (error: unknown, attempt: number) => void | Promise<void>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (isDataFault(error) && !(isUniqueViolation(error) && attempt < 3)) throw error
      await onFailure(error, attempt)
      await sleep(isRetryable(error) ? Math.min(20 * attempt, RETRY_MS) : RETRY_MS)
    }
  }
}

/** Two partitions may meet in one visitor, when a sender uses an id that was made of an address. */
const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/**
 * Stores a batch; when its data is at fault, halves it until the hits that cannot be stored stand alone.
 * @throws what `store` throws for another reason
 */
export async function storeSound(
  hits: EnrichedHit[],
  store: (hits: EnrichedHit[]) => Promise<Stored>,
  bury: (hit: EnrichedHit, error: unknown) => Promise<void>,
): Promise<Stored> {
  if (hits.length === 0) return NOTHING
  try {
    return await store(hits)
  } catch (error) {
    if (!isDataFault(error)) throw error
    if (hits.length === 1) {
      await bury(hits[0]!, error)
      return NOTHING
    }
    const middle = hits.length >> 1
    const first = await storeSound(hits.slice(0, middle), store, bury)
    const second = await storeSound(hits.slice(middle), store, bury)
    return {
      stored: first.stored + second.stored,
      repeated: first.repeated + second.repeated,
      dropped: first.dropped + second.dropped,
      pageless: [...first.pageless, ...second.pageless],
    }
  }
}

const NOTHING: Stored = { stored: 0, repeated: 0, dropped: 0, pageless: [] }

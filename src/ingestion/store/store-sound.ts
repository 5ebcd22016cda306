import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, isUnavailable } from '../../infra/db.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Stored } from './store.ts'

const RETRY_MS = 500
const MAX_ATTEMPTS = 20

/** Runs again what failed for a reason that passes: a database that is away, for as long as `isPatient`; a deadlock. */
export async function persistently<Result>(
  run: () => Promise<Result>,
  options: { isPatient: () => boolean; onWait: (error: unknown, attempt: number) => void },
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const isPassing = isUnavailable(error) || (isRetryable(error) && attempt < MAX_ATTEMPTS)
      if (!isPassing || !options.isPatient()) throw error
      options.onWait(error, attempt)
      await sleep(isUnavailable(error) ? RETRY_MS : 20 * attempt)
    }
  }
}

/**
 * Stores a batch; when its data is at fault, halves it until the hits that cannot be stored stand alone.
 * @throws what `store` throws when the database is away
 */
export async function storeSound(
  hits: EnrichedHit[],
  store: (hits: EnrichedHit[]) => Promise<Stored>,
  bury: (hit: EnrichedHit, error: unknown) => Promise<void>,
): Promise<Stored> {
  if (hits.length === 0) return { stored: 0, repeated: 0, dropped: [] }
  try {
    return await store(hits)
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (hits.length === 1) {
      await bury(hits[0]!, error)
      return { stored: 0, repeated: 0, dropped: [] }
    }
    const middle = hits.length >> 1
    const first = await storeSound(hits.slice(0, middle), store, bury)
    const second = await storeSound(hits.slice(middle), store, bury)
    return {
      stored: first.stored + second.stored,
      repeated: first.repeated + second.repeated,
      dropped: [...first.dropped, ...second.dropped],
    }
  }
}

import { useSyncExternalStore } from 'react'
import { failureOf } from './failure.ts'
import { queries } from './use-read.ts'

/** Returns the smallest share, from 0 to 1, of the answers that are being prepared; undefined when none is. */
function shareDone(): number | undefined {
  const shares = queries
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.fetchStatus === 'fetching' && state.fetchFailureReason !== null)
    .flatMap(({ state }) => failureOf(state.fetchFailureReason).share ?? [])
  return shares.length > 0 ? Math.min(...shares) : undefined
}

/** The same for a component, which is drawn again when it changes. */
export const useShareDone = (): number | undefined =>
  useSyncExternalStore(listener => queries.getQueryCache().subscribe(listener), shareDone)

import type { Written } from '../../storage/rollups/keep-refreshed.ts'
import { type EnrichedHit, PARTITIONS } from '../hit.ts'

/**
 * Tracks the times that an import has written. Each partition is written in time order, but one can be far behind the others.
 * @param onWritten called after each stored batch
 * @returns a function to call with the hits of each stored batch
 */
export function createWrittenTimes(
  onWritten: (written: Written) => void = () => {},
): (partition: number, hits: readonly Pick<EnrichedHit, 'at'>[]) => void {
  const latest = new Array<number>(PARTITIONS).fill(Number.NEGATIVE_INFINITY)
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY

  return (partition, hits) => {
    for (const { at } of hits) {
      from = Math.min(from, at)
      latest[partition] = Math.max(latest[partition]!, at)
    }
    to = Math.max(to, latest[partition]!)
    onWritten({ from, to, until: Math.min(...latest) })
  }
}

import { type CountsByValue, isSinceRollup, type RowSlice } from '../daily/row-slice.ts'
import type { LiveTail } from './live-tail.ts'
import { isInTail } from './value-counter.ts'

/** Counts rows from memory, in the snapshot of a read. Only the first call in a snapshot is answered from memory. */
export interface TailReader {
  /** @returns undefined when rows must be counted */
  count(slice: RowSlice, dimension: string): Promise<CountsByValue | undefined>
}

/** Brings a tail up to the snapshot and counts in it; undefined when it does not hold what is counted, or rows must be counted. */
export type CountInTail = <Result>(holds: () => boolean, count: () => Result) => Promise<Result | undefined>

export const readerOf = (tail: LiveTail, countInTail: CountInTail): TailReader => ({
  count: (slice, dimension) =>
    countInTail(
      () => isInTail(dimension) && tail.holds(slice),
      () => tail.count(slice, dimension),
    ),
})

/** The reader of a site that has no tail: rows are counted until the tail is there. `ask` begins to build it. */
export const askingReader = (ask: () => void): TailReader => ({
  count: async (slice, dimension) => {
    if (isSinceRollup(slice) && isInTail(dimension)) ask()
    return undefined
  },
})

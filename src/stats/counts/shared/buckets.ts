import type { TimeSpan } from '../../../platform/time/range.ts'

/** Returns the starts of consecutive buckets and the end of the last one, Unix milliseconds. */
export const edgesOf = (buckets: readonly TimeSpan[]): number[] => [
  ...buckets.map(({ start }) => start.getTime()),
  ...buckets.slice(-1).map(({ end }) => end.getTime()),
]

/** Consecutive half-open buckets: bucket `index` is from `bounds[index]` to `bounds[index + 1]`, Unix milliseconds. */
export class Buckets {
  readonly #bounds: readonly number[]
  #last = 0

  /** @param bounds ascending, one more than buckets */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  get count(): number {
    return this.#bounds.length - 1
  }

  /** Returns the bucket of a time, −1 outside all of them. Times of one session often lie in the bucket of the time before. */
  of(at: number): number {
    const bounds = this.#bounds
    if (at >= bounds[this.#last]! && at < bounds[this.#last + 1]!) return this.#last
    if (at < bounds[0]! || at >= bounds.at(-1)!) return -1
    let low = 0
    let high = bounds.length - 1
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (at >= bounds[middle]!) low = middle
      else high = middle
    }
    this.#last = low
    return low
  }
}

import { moveDistinct } from '../daily/visitor-set.ts'

/** Memory of earlier counts: to touch a page for the first time takes longer than to count what lies on it. */
let spare: Uint32Array[] = []
/** Longer arrays are not kept: three of this length take 24 MiB. */
const MOST_KEPT = 2 ** 21

function take(length: number): Uint32Array {
  const known = spare.pop()
  return known && known.length >= length ? known : new Uint32Array(length)
}

function giveBack(...arrays: Uint32Array[]): void {
  spare = [...spare, ...arrays.filter(({ length }) => length <= MOST_KEPT)].slice(-3)
}

/** Returns how many rows some ranges have together. */
export const sizeOf = (ranges: readonly { from: number; to: number }[]): number =>
  ranges.reduce((size, { from, to }) => size + to - from, 0)

/** Visitors of values, in the order in which they come; made distinct value by value. */
export class ValueVisitors {
  #values: Uint32Array
  #visitors: Uint32Array
  readonly #sizes: Uint32Array
  #length = 0

  constructor(most: number, values: number) {
    this.#values = take(most)
    this.#visitors = take(most)
    this.#sizes = new Uint32Array(values)
  }

  add(value: number, visitor: number): void {
    this.#values[this.#length] = value
    this.#visitors[this.#length++] = visitor
    this.#sizes[value]!++
  }

  /** Returns the distinct visitors of each value that has any, in any order; ends the use. */
  distinct(): [value: number, visitors: Uint32Array][] {
    return this.#endWith((visitors, size) => visitors.slice(0, size))
  }

  /** Returns the number of distinct visitors of each value that has any; ends the use. */
  counts(): [value: number, visitors: number][] {
    return this.#endWith((_, size) => size)
  }

  #endWith<Result>(use: (visitors: Uint32Array, size: number) => Result): [number, Result][] {
    const starts = new Uint32Array(this.#sizes.length + 1)
    for (let value = 0; value < this.#sizes.length; value++)
      starts[value + 1] = starts[value]! + this.#sizes[value]!
    const sorted = take(this.#length)
    const next = starts.slice()
    for (let row = 0; row < this.#length; row++) sorted[next[this.#values[row]!]!++] = this.#visitors[row]!
    const results: [number, Result][] = []
    for (let value = 0; value < this.#sizes.length; value++) {
      if (this.#sizes[value] === 0) continue
      const visitors = sorted.subarray(starts[value], starts[value + 1])
      results.push([value, use(visitors, moveDistinct(visitors))])
    }
    giveBack(this.#values, this.#visitors, sorted)
    this.#values = this.#visitors = new Uint32Array()
    return results
  }
}

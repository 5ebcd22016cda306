import { moveDistinct } from '../daily/visitor-set.ts'

/** Visitors of values, in the order in which they come; made distinct value by value. */
export class ValueVisitors {
  readonly #values: Uint32Array
  readonly #visitors: Uint32Array
  readonly #sizes: Uint32Array
  #length = 0

  constructor(most: number, values: number) {
    this.#values = new Uint32Array(most)
    this.#visitors = new Uint32Array(most)
    this.#sizes = new Uint32Array(values)
  }

  add(value: number, visitor: number): void {
    this.#values[this.#length] = value
    this.#visitors[this.#length++] = visitor
    this.#sizes[value]!++
  }

  /** Yields the distinct visitors of each value that has any, in any order. */
  *distinct(): Generator<[value: number, visitors: Uint32Array]> {
    const starts = new Uint32Array(this.#sizes.length + 1)
    for (let value = 0; value < this.#sizes.length; value++)
      starts[value + 1] = starts[value]! + this.#sizes[value]!
    const sorted = new Uint32Array(this.#length)
    const next = starts.slice()
    for (let row = 0; row < this.#length; row++) sorted[next[this.#values[row]!]!++] = this.#visitors[row]!
    for (let value = 0; value < this.#sizes.length; value++) {
      if (this.#sizes[value] === 0) continue
      const visitors = sorted.subarray(starts[value], starts[value + 1])
      yield [value, visitors.slice(0, moveDistinct(visitors))]
    }
  }
}

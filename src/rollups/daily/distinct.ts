import type { EncodedVisitors } from './codec.ts'

const FIRST_WORDS = 1_024
/** Larger buffers are dropped after a count, smaller ones are reused. 8 MiB hold the bits of some 60 million numbers. */
const MAX_KEPT_BYTES = 8 * 2 ** 20

/**
 * Counts the distinct numbers of several lists. Uses one bit of memory for each number up to the largest one added.
 * The counter is shared: always call `take` in `finally`, or numbers that are left would be included in the next count.
 */
export class DistinctCounter {
  #bits = new Uint32Array(FIRST_WORDS)
  /** Words of `#bits` that are not 0. */
  #touched = new Uint32Array(FIRST_WORDS)
  #touchedCount = 0
  #distinct = 0

  add(numbers: Uint32Array): void {
    for (let index = 0; index < numbers.length; index++) this.#mark(numbers[index]!)
  }

  /**
   * Adds the visitors of one value as `encodeValues` wrote them: the first number, then differences, as varints.
   * @param into receives the numbers that were not added before, ascending, starting at index `at`
   * @returns the index after the last number written to `into`
   */
  addEncoded({ visitors, offset, count }: EncodedVisitors, into: Uint32Array, at: number): number {
    let [number, end, byteAt] = [0, at, offset]
    for (let index = 0; index < count; index++) {
      let byte = visitors[byteAt++]!
      let difference = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = visitors[byteAt++]!
        difference |= (byte & 0x7f) << shift
      }
      number += difference
      const before = this.#distinct
      this.#mark(number)
      if (this.#distinct !== before) into[end++] = number
    }
    return end
  }

  /** @returns the count of distinct numbers added since the last call */
  take(): number {
    const distinct = this.#distinct
    if (this.bytes > MAX_KEPT_BYTES) {
      this.#bits = new Uint32Array(FIRST_WORDS)
      this.#touched = new Uint32Array(FIRST_WORDS)
    } else {
      for (let index = 0; index < this.#touchedCount; index++) this.#bits[this.#touched[index]!] = 0
    }
    this.#touchedCount = 0
    this.#distinct = 0
    return distinct
  }

  /** Memory of the buffers now. */
  get bytes(): number {
    return this.#bits.byteLength + this.#touched.byteLength
  }

  #mark(number: number): void {
    const word = number >>> 5
    if (word >= this.#bits.length) this.#bits = grown(this.#bits, word)
    const bit = 1 << (number & 31)
    const before = this.#bits[word]!
    if ((before & bit) !== 0) return
    this.#bits[word] = before | bit
    this.#distinct += 1
    if (before !== 0) return
    if (this.#touchedCount === this.#touched.length) this.#touched = grown(this.#touched, this.#touchedCount)
    this.#touched[this.#touchedCount++] = word
  }
}

/** Returns a copy at least twice as long that has room for `index`. */
function grown(list: Uint32Array, index: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(index + 1, list.length * 2))
  larger.set(list)
  return larger
}

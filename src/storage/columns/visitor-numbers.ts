import { doubled } from './fill.ts'

/** Visitors without a number: events of no visitor. */
export const NO_VISITOR = -1

/**
 * Numbers the visitors of a site densely, from 0: `visitor_no` is drawn for all sites together, so that an array over those of one site
 * would be mostly empty. A hash table with open addressing: a `Map` of a million numbers takes four times the memory.
 */
export class VisitorNumbers {
  #table = new Int32Array(2_048)
  #visitorNos = new Int32Array(1_024)
  #size = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#table.byteLength + this.#visitorNos.byteLength
  }

  /** Returns the dense number of a `visitor_no`, a new one for a visitor that has none yet. */
  numberOf(visitorNo: number): number {
    const slot = this.#slotOf(visitorNo)
    const entry = this.#table[slot]!
    if (entry !== 0) return entry - 1
    if (this.#size === this.#visitorNos.length) {
      this.#grow()
      return this.numberOf(visitorNo)
    }
    this.#visitorNos[this.#size] = visitorNo
    this.#table[slot] = ++this.#size
    return this.#size - 1
  }

  /** Returns the dense number of a `visitor_no`, undefined for a visitor that has none. */
  find(visitorNo: number): number | undefined {
    const entry = this.#table[this.#slotOf(visitorNo)]!
    return entry === 0 ? undefined : entry - 1
  }

  /** Returns the `visitor_no` of a dense number. */
  visitorNo(number: number): number {
    return this.#visitorNos[number]!
  }

  /** Returns the slot of a visitor; an empty one for a visitor that has no number yet. */
  #slotOf(visitorNo: number): number {
    const mask = this.#table.length - 1
    let slot = hash(visitorNo) & mask
    while (this.#table[slot] !== 0 && this.#visitorNos[this.#table[slot]! - 1] !== visitorNo)
      slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    this.#visitorNos = doubled(this.#visitorNos)
    this.#table = new Int32Array(2 * this.#visitorNos.length)
    for (let index = 0; index < this.#size; index++) {
      this.#table[this.#slotOf(this.#visitorNos[index]!)] = index + 1
    }
  }
}

/** Fibonacci hashing: consecutive numbers spread over the table. */
const hash = (value: number) => Math.imul(value, 0x9e3779b1) >>> 7

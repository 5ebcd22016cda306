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
    const mask = this.#table.length - 1
    let slot = hash(visitorNo) & mask
    for (let entry = this.#table[slot]!; entry !== 0; entry = this.#table[slot]!) {
      if (this.#visitorNos[entry - 1] === visitorNo) return entry - 1
      slot = (slot + 1) & mask
    }
    if (this.#size === this.#visitorNos.length) {
      this.#grow()
      return this.numberOf(visitorNo)
    }
    this.#visitorNos[this.#size] = visitorNo
    this.#table[slot] = ++this.#size
    return this.#size - 1
  }

  #grow(): void {
    const visitorNos = new Int32Array(2 * this.#visitorNos.length)
    visitorNos.set(this.#visitorNos)
    this.#visitorNos = visitorNos
    this.#table = new Int32Array(2 * visitorNos.length)
    const mask = this.#table.length - 1
    for (let index = 0; index < this.#size; index++) {
      let slot = hash(visitorNos[index]!) & mask
      while (this.#table[slot] !== 0) slot = (slot + 1) & mask
      this.#table[slot] = index + 1
    }
  }
}

/** Fibonacci hashing: consecutive numbers spread over the table. */
const hash = (value: number) => Math.imul(value, 0x9e3779b1) >>> 7

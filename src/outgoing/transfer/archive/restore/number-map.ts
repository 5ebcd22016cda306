/** New numbers by old ones, in few bytes: a site may have millions of visitors. */
export class NumberMap {
  #old = new Uint32Array(1_024)
  #present = new Uint32Array(1_024)
  #size = 0

  /** @param old larger than all before */
  add(old: number, present: number): void {
    if (this.#size === this.#old.length) {
      this.#old = grown(this.#old)
      this.#present = grown(this.#present)
    }
    this.#old[this.#size] = old
    this.#present[this.#size++] = present
  }

  get(old: number): number | undefined {
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#old[middle]! < old) low = middle + 1
      else high = middle
    }
    return low < this.#size && this.#old[low] === old ? this.#present[low] : undefined
  }
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}

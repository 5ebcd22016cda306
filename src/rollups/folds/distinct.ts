/** Counts distinct numbers of several lists. Its memory is a bit for each number up to the largest it has met. */
export class DistinctCounter {
  #bits = new Uint32Array(1_024)

  count(lists: readonly Uint32Array[]): number {
    let distinct = 0
    for (const list of lists) {
      for (let index = 0; index < list.length; index++) {
        const number = list[index]!
        const word = number >>> 5
        if (word >= this.#bits.length) this.#grow(word)
        const bit = 1 << (number & 31)
        const before = this.#bits[word]!
        if ((before & bit) === 0) {
          this.#bits[word] = before | bit
          distinct += 1
        }
      }
    }
    for (const list of lists) {
      for (let index = 0; index < list.length; index++) this.#bits[list[index]! >>> 5] = 0
    }
    return distinct
  }

  #grow(word: number): void {
    const bits = new Uint32Array(Math.max(word + 1, this.#bits.length * 2))
    bits.set(this.#bits)
    this.#bits = bits
  }
}

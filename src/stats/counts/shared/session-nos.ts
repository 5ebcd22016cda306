/** Most sessions are not in the set: a table by the last bits of their number says so faster than a set. */
const LAST_BITS = 2 ** 16 - 1

/** A small set of session numbers, which a count looks for among all sessions. Leaves out 0 and less, which stand for no session. */
export class SessionNos {
  readonly #nos = new Set<number>()
  readonly #mayHave = new Uint8Array(LAST_BITS + 1)

  get size(): number {
    return this.#nos.size
  }

  add(nos: Float64Array): void {
    for (const no of nos) {
      if (no <= 0) continue
      this.#nos.add(no)
      this.#mayHave[no & LAST_BITS] = 1
    }
  }

  has(no: number): boolean {
    return this.#mayHave[no & LAST_BITS] === 1 && this.#nos.has(no)
  }
}

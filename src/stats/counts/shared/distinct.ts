import { doubled } from '../../../storage/columns/fill.ts'

/** Counts the distinct visitors of each key: a list of pairs of a key and a visitor. */
export class Pairs {
  #keys = new Int32Array(1_024)
  #visitors = new Int32Array(1_024)
  #size = 0

  /** Adds a pair, unless it is the same as the one before. Leaves out `NO_VISITOR`, as every negative number. */
  add(key: number, visitor: number): void {
    const last = this.#size - 1
    if (visitor < 0 || (last >= 0 && this.#visitors[last] === visitor && this.#keys[last] === key)) return
    if (this.#size === this.#keys.length) this.#grow()
    this.#keys[this.#size] = key
    this.#visitors[this.#size++] = visitor
  }

  #grow(): void {
    this.#keys = doubled(this.#keys)
    this.#visitors = doubled(this.#visitors)
  }

  /**
   * Counts the distinct visitors of each key: a sort by key, and for each key a stamp on its visitors.
   * @param keys how many there are
   * @param visitors how many there are
   */
  countDistinct(keys: number, visitors: number): Int32Array {
    const counts = new Int32Array(keys)
    this.#forEachDistinct(keys, visitors, key => {
      counts[key]! += 1
    })
    return counts
  }

  /** Returns the distinct visitors of each key. */
  distinct(keys: number, visitors: number): number[][] {
    const lists: number[][] = Array.from({ length: keys }, () => [])
    this.#forEachDistinct(keys, visitors, (key, visitor) => lists[key]!.push(visitor))
    return lists
  }

  #forEachDistinct(keys: number, visitors: number, found: (key: number, visitor: number) => void): void {
    const ends = new Int32Array(keys + 1)
    for (let index = 0; index < this.#size; index++) ends[this.#keys[index]! + 1]! += 1
    for (let key = 0; key < keys; key++) ends[key + 1]! += ends[key]!
    const next = ends.slice()
    const sorted = new Int32Array(this.#size)
    for (let index = 0; index < this.#size; index++) {
      sorted[next[this.#keys[index]!]!++] = this.#visitors[index]!
    }
    const stamps = new Int32Array(visitors)
    for (let key = 0; key < keys; key++) {
      const stamp = key + 1
      for (let index = ends[key]!; index < ends[key + 1]!; index++) {
        const visitor = sorted[index]!
        if (stamps[visitor] === stamp) continue
        stamps[visitor] = stamp
        found(key, visitor)
      }
    }
  }
}

/** A set of visitors by dense number. */
export class VisitorSet {
  readonly #has: Uint8Array
  size = 0

  /** @param visitors how many there are */
  constructor(visitors: number) {
    this.#has = new Uint8Array(visitors)
  }

  /** Leaves out `NO_VISITOR`, as every negative number. */
  add(visitor: number): void {
    if (visitor < 0 || this.#has[visitor] === 1) return
    this.#has[visitor] = 1
    this.size += 1
  }
}

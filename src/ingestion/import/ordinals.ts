/** Maximum lines in memory; a power of two. */
const CAPACITY = 2 ** 19
/** Two slots for each line: a table that is half full finds a slot in about two steps. */
const SLOTS_PER_LINE = 2
const MAX_KEPT = 0.75

/**
 * Counts equal lines in constant memory. Equal lines have the same time, so they are close to each other in a file in time
 * order. Old times are forgotten, and lines of forgotten times cannot be counted any more.
 */
export class Ordinals {
  readonly #capacity: number
  #table: Table
  /** Lines of this time and earlier are forgotten. */
  #forgottenUntil = Number.NEGATIVE_INFINITY

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity
    this.#table = new Table(capacity * SLOTS_PER_LINE)
  }

  /**
   * Returns the number of equal lines before this one.
   * @param digest 12 bytes of a hash of the line
   * @param at time of the line, Unix milliseconds
   * @returns undefined when lines of that time have been forgotten
   */
  count(digest: Buffer, at: number): number | undefined {
    if (at <= this.#forgottenUntil) return undefined
    if (this.#table.size >= this.#capacity) this.#forget()
    return at <= this.#forgottenUntil ? undefined : this.#table.increment(digest, at)
  }

  /** Forgets the earlier half of the lines by time. */
  #forget(): void {
    const times = this.#table.times()
    times.sort()
    const median = times[times.length >> 1]!
    const first = times.indexOf(median)
    // If too many lines have the median time, forget this time too: otherwise too few lines would be removed.
    const isCrowded = times.length - first > MAX_KEPT * times.length
    this.#forgottenUntil = isCrowded ? median : times[first - 1]!
    const kept = new Table(this.#capacity * SLOTS_PER_LINE)
    this.#table.copyAfter(this.#forgottenUntil, kept)
    this.#table = kept
  }
}

/** Hash table with open addressing in flat arrays: a Map of a million lines takes five times the memory. */
class Table {
  size = 0
  readonly #keys: Uint32Array
  /** 0 marks a free slot. */
  readonly #counts: Uint32Array
  readonly #times: Float64Array
  readonly #mask: number

  constructor(slots: number) {
    this.#mask = slots - 1
    this.#keys = new Uint32Array(slots * 3)
    this.#counts = new Uint32Array(slots)
    this.#times = new Float64Array(slots)
  }

  /** @returns the count before the increment */
  increment(digest: Buffer, at: number): number {
    const [a, b, c] = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)]
    const slot = this.#find(a, b, c)
    const before = this.#counts[slot]!
    if (before === 0) this.#put(slot, a, b, c, at)
    this.#counts[slot] = before + 1
    return before
  }

  times(): Float64Array {
    const times = new Float64Array(this.size)
    let index = 0
    for (const [slot, count] of this.#counts.entries()) {
      if (count > 0) times[index++] = this.#times[slot]!
    }
    return times
  }

  /** Copies the lines later than `time` to `other`. */
  copyAfter(time: number, other: Table): void {
    for (const [slot, count] of this.#counts.entries()) {
      if (count === 0 || this.#times[slot]! <= time) continue
      const [a, b, c] = this.#keys.subarray(3 * slot, 3 * slot + 3) as unknown as [number, number, number]
      const place = other.#find(a, b, c)
      other.#put(place, a, b, c, this.#times[slot]!)
      other.#counts[place] = count
    }
  }

  #find(a: number, b: number, c: number): number {
    let slot = a & this.#mask
    while (
      this.#counts[slot]! > 0 &&
      (this.#keys[3 * slot] !== a || this.#keys[3 * slot + 1] !== b || this.#keys[3 * slot + 2] !== c)
    ) {
      slot = (slot + 1) & this.#mask
    }
    return slot
  }

  #put(slot: number, a: number, b: number, c: number, at: number): void {
    this.#keys[3 * slot] = a
    this.#keys[3 * slot + 1] = b
    this.#keys[3 * slot + 2] = c
    this.#times[slot] = at
    this.size += 1
  }
}

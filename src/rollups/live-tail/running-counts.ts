import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../lib/time.ts'
import type { CountsByValue, RowSlice } from '../daily/row-slice.ts'
import type { RowsFollower, TailRows } from './tail-rows.ts'
import { ValueCounter } from './value-counter.ts'

/** Most counts: a page shows eight breakdowns, and two more people may look at other ranges. */
const MOST_KEPT = 24
const MOST_BYTES = 64 * 2 ** 20
/** A count that was not asked for meanwhile is not kept: to bring it up to date would take longer and longer. */
const KEPT_MS = 2 * MINUTE_MS
/** About: of each character of a key, with what the counter keeps of it. */
const KEY_BYTES = 5

/**
 * The counts of a tail that were asked for lately. Asked again, a count adds what is new, instead of counting all rows once more.
 */
export class RunningCounts implements RowsFollower {
  readonly #rows: TailRows
  readonly #values = new LRUCache<string, ValueCounter>({
    max: MOST_KEPT,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }, key) => bytes + KEY_BYTES * key.length,
    ttl: KEPT_MS,
  })
  /** Sessions before this one are counted, unless they have changed. */
  #nextSession = 0
  /** Sessions that were taken out of the counts by value, since they change. */
  readonly #changed = new Set<number>()

  constructor(rows: TailRows) {
    this.#rows = rows
    rows.follow(this)
  }

  /** Takes a session out that changes. */
  beforeChange(index: number): void {
    if (this.#values.size === 0 || index >= this.#nextSession || this.#changed.has(index)) return
    for (const counter of this.#values.values()) counter.removeSession(index)
    this.#changed.add(index)
  }

  /** Forgets all counts. */
  reset(): void {
    this.#values.clear()
    this.#changed.clear()
  }

  /** Counts the rows of a slice by value, as `ValueCounter` does. @param maxBytes memory that all counts may take together */
  count(slice: RowSlice, dimension: string, maxBytes: number): CountsByValue {
    this.#addChanged()
    const { start, end, hitsFrom, hitsTo, closedFrom } = slice
    const key = [dimension, start, end, hitsFrom, hitsTo, closedFrom].join(' ')
    const counter = this.#values.get(key) ?? new ValueCounter(this.#rows, slice, dimension)
    const counted = counter.byValue()
    // Without the deletion, its size would stay what it was.
    this.#values.delete(key)
    this.#values.set(key, counter)
    while (this.#values.size > 0 && this.bytes > maxBytes) this.#values.pop()
    return counted
  }

  #addChanged(): void {
    const { length } = this.#rows.sessions
    this.#values.purgeStale()
    for (const counter of this.#values.values()) {
      for (const index of this.#changed) counter.addSession(index)
      for (let index = this.#nextSession; index < length; index++) counter.addSession(index)
    }
    this.#changed.clear()
    this.#nextSession = length
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.#values.calculatedSize
  }
}

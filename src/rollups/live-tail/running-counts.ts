import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../lib/time.ts'
import type { CountsByValue, RowSlice } from '../daily/row-slice.ts'
import type { ConversionSlice, ConversionTargets, SliceConversions } from '../goals/slice-conversions.ts'
import { ConversionCounter } from './count-conversions.ts'
import type { RowsFollower, TailRows } from './tail-rows.ts'
import { ValueCounter } from './value-counter.ts'

/** Most counts of each kind: a page shows eight breakdowns, and two more people may look at other ranges. */
const MOST_KEPT = 24
const MOST_BYTES = 64 * 2 ** 20
/** A count that was not asked for meanwhile is not kept: to bring it up to date would take longer and longer. */
const KEPT_MS = 2 * MINUTE_MS
/** Goals with more targets than this are counted anew: patterns match other values whenever there is a new one. */
const MOST_TARGETS = 1_000
/** About: of each character of a key, with what the counter keeps of it. */
const KEY_BYTES = 5

/** A slice whose conversions are asked for; `currencies`: one for each goal. */
export interface AskedConversions {
  slice: ConversionSlice
  targets: ConversionTargets
  currencies: readonly string[]
}

const kept = <Counter extends { bytes: number }>() =>
  new LRUCache<string, Counter>({
    max: MOST_KEPT,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }, key) => bytes + KEY_BYTES * key.length,
    ttl: KEPT_MS,
  })

/**
 * The counts of a tail that were asked for lately. Asked again, a count adds what is new, instead of counting all rows once more.
 */
export class RunningCounts implements RowsFollower {
  readonly #rows: TailRows
  readonly #values = kept<ValueCounter>()
  readonly #conversions = kept<ConversionCounter>()
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
    this.#conversions.clear()
    this.#changed.clear()
  }

  /** Counts the rows of a slice by value, as `ValueCounter` does. @param maxBytes memory that all counts may take together */
  count(slice: RowSlice, dimension: string, maxBytes: number): CountsByValue {
    this.#addChanged()
    const { start, end, hitsFrom, hitsTo, closedFrom } = slice
    const key = [dimension, start, end, hitsFrom, hitsTo, closedFrom].join(' ')
    const counter = this.#values.get(key) ?? new ValueCounter(this.#rows, slice, dimension)
    const counted = counter.byValue()
    this.#keep(this.#values, key, counter, maxBytes)
    return counted
  }

  /** Counts conversions, as `ConversionCounter` does. @param maxBytes as in `count` */
  countConversions(asked: AskedConversions, maxBytes: number): Map<number, SliceConversions> {
    const { slice, targets, currencies } = asked
    const begin = () => new ConversionCounter(this.#rows, slice, targets, currencies)
    if (targets.hits.length + targets.scrolls.length > MOST_TARGETS) return begin().byGoal()
    const key = JSON.stringify(asked)
    const counter = this.#conversions.get(key) ?? begin()
    const counted = counter.byGoal()
    this.#keep(this.#conversions, key, counter, maxBytes)
    return counted
  }

  #addChanged(): void {
    const { length } = this.#rows.sessions
    this.#values.purgeStale()
    this.#conversions.purgeStale()
    for (const counter of this.#values.values()) {
      for (const index of this.#changed) counter.addSession(index)
      for (let index = this.#nextSession; index < length; index++) counter.addSession(index)
    }
    this.#changed.clear()
    this.#nextSession = length
  }

  #keep<Counter extends { bytes: number }>(
    into: LRUCache<string, Counter>,
    key: string,
    counter: Counter,
    maxBytes: number,
  ): void {
    // Without the deletion, its size would stay what it was.
    into.delete(key)
    into.set(key, counter)
    while (into.size > 0 && this.bytes > maxBytes) into.pop()
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.#values.calculatedSize + this.#conversions.calculatedSize
  }
}

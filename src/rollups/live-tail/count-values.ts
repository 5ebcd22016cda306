import { COPIED_COLUMNS, dimensionsOfLevel } from '../../dimensions/dimensions.ts'
import { noCounts } from '../daily/codec.ts'
import type { CountsByValue, RowSlice, ValueCounts } from '../daily/row-slice.ts'
import type { TailRows } from './tail-rows.ts'
import { CUSTOM_EVENT, ENGAGED_ON, ENGAGEMENT, HIT_DIMENSIONS, PAGEVIEW, SEEN } from './tail-shape.ts'
import { ValueVisitors } from './value-visitors.ts'

const HITS: ReadonlySet<string> = new Set(HIT_DIMENSIONS)
const COPIED: ReadonlySet<string> = new Set(COPIED_COLUMNS)
const ENDS: ReadonlySet<string> = new Set(dimensionsOfLevel('session-end'))

/** Returns whether a tail has the values of a dimension: hits copy them, or carry them, or they come with the session's last pageview. */
export const isInTail = (dimension: string): boolean =>
  HITS.has(dimension) || COPIED.has(dimension) || ENDS.has(dimension)

/**
 * Counts the rows of a slice by value, the same as `countSliceValues` without times.
 * @param slice one that ends with the newest rows and begins after `rows.from`
 * @param dimension one for which `isInTail`
 */
export function countTailValues(rows: TailRows, slice: RowSlice, dimension: string): CountsByValue {
  const byNumber = new Counter(rows)
  if (ENDS.has(dimension)) byNumber.addEnds(slice)
  else if (COPIED.has(dimension)) {
    const values = rows.dimensions.columns[dimension]!
    byNumber.addHits(slice, row => values[rows.hits.columns.session[row]!]!, dimension)
    byNumber.addStarts(slice, values)
  } else {
    const name = dimension as (typeof HIT_DIMENSIONS)[number]
    const values = rows.hits.columns[name]
    byNumber.addHits(slice, row => values[row]!, name)
    byNumber.addVisited(slice, name)
  }
  return byNumber.byValue()
}

class Counter {
  readonly #rows: TailRows
  readonly #counts: (ValueCounts | undefined)[] = []
  /** Whether a session is among those of the slice. */
  #isChosen = new Uint8Array()

  constructor(rows: TailRows) {
    this.#rows = rows
  }

  #countsOf(value: number): ValueCounts {
    const known = this.#counts[value]
    if (known) return known
    const counts = { counts: noCounts(), visitors: new Uint32Array() }
    this.#counts[value] = counts
    return counts
  }

  byValue(): CountsByValue {
    const byValue: CountsByValue = new Map()
    for (const [value, counts] of this.#counts.entries())
      if (counts) byValue.set(this.#rows.values[value]!, counts)
    return byValue
  }

  #choose({ start, end, closedFrom }: RowSlice): void {
    const { length, columns } = this.#rows.sessions
    const { startedAt, lastAt } = columns
    this.#isChosen = new Uint8Array(length)
    for (let index = 0; index < length; index++) {
      const at = startedAt[index]!
      if (at >= start && at < end && lastAt[index]! >= closedFrom!) this.#isChosen[index] = 1
    }
  }

  /** Adds what is counted by the time of the hit. */
  addHits({ hitsFrom, hitsTo }: RowSlice, valueAt: (row: number) => number, dimension: string): void {
    const { length, columns } = this.#rows.hits
    const { at, kind, session } = columns
    const { visitor } = this.#rows.sessions.columns
    const pairs = new ValueVisitors(length, this.#rows.values.length)
    for (let row = 0; row < length; row++) {
      if (kind[row] === ENGAGEMENT || at[row]! < hitsFrom || at[row]! >= hitsTo) continue
      const value = valueAt(row)
      if (value === 0 && HITS.has(dimension)) continue
      const { counts } = this.#countsOf(value)
      counts.hits++
      if (kind[row] === PAGEVIEW) counts.pageviews++
      else if (kind[row] === CUSTOM_EVENT) counts.customEvents++
      if (dimension === 'title' && at[row]! > counts.lastAt) counts.lastAt = at[row]!
      pairs.add(value, visitor[session[row]!]!)
    }
    this.#setVisitors(pairs)
  }

  /** Adds sessions by a value that they have from their start. */
  addStarts(slice: RowSlice, values: Uint32Array): void {
    this.#choose(slice)
    for (let index = 0; index < this.#isChosen.length; index++)
      if (this.#isChosen[index] === 1) this.#addSession(index, this.#countsOf(values[index]!))
  }

  /** Adds sessions by what they did on each value. */
  addVisited(slice: RowSlice, name: (typeof HIT_DIMENSIONS)[number]): void {
    this.#choose(slice)
    const { length, columns } = this.#rows.visited[name]
    const { session, value, seen, engagedMs, scroll } = columns
    for (let row = 0; row < length; row++) {
      if ((seen[row]! & SEEN) === 0 || this.#isChosen[session[row]!] === 0) continue
      const into = this.#countsOf(value[row]!)
      this.#addSession(session[row]!, into)
      if ((seen[row]! & ENGAGED_ON) === 0) continue
      into.counts.engagedSessions++
      into.counts.engagedMs += engagedMs[row]!
      if (scroll[row]! === 0) continue
      into.counts.scrolledSessions++
      into.counts.scrollSum += scroll[row]! - 1
    }
  }

  /** Adds sessions by their exit page, with their hits and visitors. */
  addEnds(slice: RowSlice): void {
    this.#choose(slice)
    const { columns } = this.#rows.sessions
    const { exit, visitor, pageviews, events } = columns
    const pairs = new ValueVisitors(this.#isChosen.length, this.#rows.values.length)
    for (let index = 0; index < this.#isChosen.length; index++) {
      if (this.#isChosen[index] === 0) continue
      const into = this.#countsOf(exit[index]!)
      this.#addSession(index, into)
      into.counts.hits += pageviews[index]! + events[index]!
      into.counts.pageviews += pageviews[index]!
      pairs.add(exit[index]!, visitor[index]!)
    }
    this.#setVisitors(pairs)
  }

  #addSession(index: number, { counts }: ValueCounts): void {
    const { pageviews, firstAt, lastAt } = this.#rows.sessions.columns
    counts.sessions++
    if (pageviews[index] === 1) counts.bounces++
    counts.durationMs += Math.round(lastAt[index]! - firstAt[index]!)
  }

  #setVisitors(pairs: ValueVisitors): void {
    for (const [value, visitors] of pairs.distinct()) this.#countsOf(value).visitors = visitors
  }
}

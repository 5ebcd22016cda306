import { COPIED_COLUMNS, dimensionsOfLevel } from '../../dimensions/dimensions.ts'
import { type Column, noCounts } from '../daily/codec.ts'
import type { CountsByValue, RowSlice } from '../daily/row-slice.ts'
import type { TailRows } from './tail-rows.ts'
import { CUSTOM_EVENT, ENGAGED_ON, ENGAGEMENT, HIT_DIMENSIONS, PAGEVIEW, SEEN } from './tail-shape.ts'
import { sizeOf, ValueVisitors } from './value-visitors.ts'

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

/** Counts by the number of a value, column by column: objects would be found and changed one by one, a million times. */
class Counter {
  readonly #rows: TailRows
  readonly #columns: Partial<Record<Column, Float64Array>> = {}
  readonly #visitors: Uint32Array[] = []
  /** Whether something of a value was counted. */
  readonly #isCounted: Uint8Array
  /** Whether a session is among those of the slice. */
  #isChosen = new Uint8Array()

  constructor(rows: TailRows) {
    this.#rows = rows
    this.#isCounted = new Uint8Array(rows.values.length)
  }

  #column(name: Column): Float64Array {
    this.#columns[name] ??= new Float64Array(this.#rows.values.length)
    return this.#columns[name]
  }

  byValue(): CountsByValue {
    const byValue: CountsByValue = new Map()
    const columns = Object.entries(this.#columns) as [Column, Float64Array][]
    for (const [value, isCounted] of this.#isCounted.entries()) {
      if (isCounted === 0) continue
      const counts = noCounts()
      for (const [name, column] of columns) counts[name] = column[value]!
      byValue.set(this.#rows.values[value]!, {
        counts,
        visitors: this.#visitors[value] ?? new Uint32Array(),
      })
    }
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
    const { at, kind, session } = this.#rows.hits.columns
    const { visitor } = this.#rows.sessions.columns
    const [hits, pageviews, customEvents] = [
      this.#column('hits'),
      this.#column('pageviews'),
      this.#column('customEvents'),
    ]
    const lastAt = dimension === 'title' ? this.#column('lastAt') : undefined
    const mayLackValue = HITS.has(dimension)
    const ranges = this.#rows.hitRanges(hitsFrom, hitsTo)
    const pairs = new ValueVisitors(sizeOf(ranges), this.#rows.values.length)
    for (const { from, to } of ranges) {
      for (let row = from; row < to; row++) {
        if (kind[row] === ENGAGEMENT || at[row]! < hitsFrom || at[row]! >= hitsTo) continue
        const value = valueAt(row)
        if (value === 0 && mayLackValue) continue
        hits[value]!++
        if (kind[row] === PAGEVIEW) pageviews[value]!++
        else if (kind[row] === CUSTOM_EVENT) customEvents[value]!++
        if (lastAt && at[row]! > lastAt[value]!) lastAt[value] = at[row]!
        pairs.add(value, visitor[session[row]!]!)
      }
    }
    this.#setVisitors(pairs)
  }

  /** Adds sessions by a value that they have from their start. */
  addStarts(slice: RowSlice, values: Uint32Array): void {
    this.#choose(slice)
    const addSession = this.#sessionAdder()
    for (let index = 0; index < this.#isChosen.length; index++)
      if (this.#isChosen[index] === 1) addSession(index, values[index]!)
  }

  /** Adds sessions by what they did on each value. */
  addVisited(slice: RowSlice, name: (typeof HIT_DIMENSIONS)[number]): void {
    this.#choose(slice)
    const addSession = this.#sessionAdder()
    const [engagedSessions, engaged] = [this.#column('engagedSessions'), this.#column('engagedMs')]
    const [scrolledSessions, scrolled] = [this.#column('scrolledSessions'), this.#column('scrollSum')]
    const { length, columns } = this.#rows.visited[name]
    const { session, value, seen, engagedMs, scroll } = columns
    for (let row = 0; row < length; row++) {
      if ((seen[row]! & SEEN) === 0 || this.#isChosen[session[row]!] === 0) continue
      const into = value[row]!
      addSession(session[row]!, into)
      if ((seen[row]! & ENGAGED_ON) === 0) continue
      engagedSessions[into]!++
      engaged[into]! += engagedMs[row]!
      if (scroll[row]! === 0) continue
      scrolledSessions[into]!++
      scrolled[into]! += scroll[row]! - 1
    }
  }

  /** Adds sessions by their exit page, with their hits and visitors. */
  addEnds(slice: RowSlice): void {
    this.#choose(slice)
    const addSession = this.#sessionAdder()
    const [hits, seen] = [this.#column('hits'), this.#column('pageviews')]
    const { exit, visitor, pageviews, events } = this.#rows.sessions.columns
    const pairs = new ValueVisitors(this.#isChosen.length, this.#rows.values.length)
    for (let index = 0; index < this.#isChosen.length; index++) {
      if (this.#isChosen[index] === 0) continue
      const into = exit[index]!
      addSession(index, into)
      hits[into]! += pageviews[index]! + events[index]!
      seen[into]! += pageviews[index]!
      pairs.add(into, visitor[index]!)
    }
    this.#setVisitors(pairs)
  }

  /** Returns what counts a session at a value. */
  #sessionAdder(): (index: number, value: number) => void {
    const { pageviews, firstAt, lastAt } = this.#rows.sessions.columns
    const [sessions, bounces, durationMs] = [
      this.#column('sessions'),
      this.#column('bounces'),
      this.#column('durationMs'),
    ]
    return (index, value) => {
      this.#isCounted[value] = 1
      sessions[value]!++
      if (pageviews[index] === 1) bounces[value]!++
      durationMs[value]! += Math.round(lastAt[index]! - firstAt[index]!)
    }
  }

  #setVisitors(pairs: ValueVisitors): void {
    for (const [value, visitors] of pairs.distinct()) {
      this.#isCounted[value] = 1
      this.#visitors[value] = visitors
    }
  }
}

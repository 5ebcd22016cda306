import { COPIED_COLUMNS, dimensionsOfLevel } from '../../dimensions/dimensions.ts'
import { ERRORS } from '../../dimensions/rolled-up.ts'
import { COLUMNS, type Counts, noCounts } from '../daily/codec.ts'
import type { CountsByValue, RowSlice } from '../daily/row-slice.ts'
import { concat, moveDistinct } from '../daily/visitor-set.ts'
import { Rows } from './columns.ts'
import type { TailRows } from './tail-rows.ts'
import {
  CUSTOM_EVENT,
  ENGAGED_ON,
  ENGAGEMENT,
  HIT_DIMENSIONS,
  type HitDimension,
  PAGEVIEW,
  SEEN,
} from './tail-shape.ts'
import { sizeOf, ValueVisitors } from './value-visitors.ts'

const HITS: ReadonlySet<string> = new Set(HIT_DIMENSIONS)
const COPIED: ReadonlySet<string> = new Set(COPIED_COLUMNS)
const ENDS: ReadonlySet<string> = new Set(dimensionsOfLevel('session-end'))

/** Returns whether a tail has the values of a dimension: hits copy them, or carry them, or they come with the session's last pageview. */
export const isInTail = (dimension: string): boolean =>
  HITS.has(dimension) || COPIED.has(dimension) || ENDS.has(dimension)

/** Bytes of a value beside its sums and visitors: the objects that hold them, about. */
const VALUE_BYTES = 250
const NONE = new Uint32Array()

/**
 * Counts the rows of a slice by value, the same as `countSliceValues` without the first hits of errors, and goes on when rows are added. Sums lie in columns:
 * objects would be found and changed one by one, a million times. A session that changes is taken out before, and added again after.
 */
export class ValueCounter {
  readonly #rows: TailRows
  readonly #slice: RowSlice
  readonly #dimension: string
  readonly #sums = new Rows(
    Object.fromEntries(COLUMNS.map(column => [column, 'f64' as const])) as Record<keyof Counts, 'f64'>,
  )
  /** The number of the value of each row of sums. */
  readonly #values: number[] = []
  /** The row of sums of each value, plus one. */
  #rowOf = new Uint32Array()
  /** Of each row of sums. */
  readonly #visitors: Uint32Array[] = []
  /** Hits before this one are counted. */
  #nextHit = 0

  /**
   * Counts all sessions of the slice.
   * @param slice one that ends with the newest rows and begins after `rows.from`
   * @param dimension one for which `isInTail`
   */
  constructor(rows: TailRows, slice: RowSlice, dimension: string) {
    this.#rows = rows
    this.#slice = slice
    this.#dimension = dimension
    if (HITS.has(dimension)) this.#addVisited(dimension as HitDimension)
    else for (let index = 0; index < rows.sessions.length; index++) this.addSession(index)
  }

  /** Adds a session as it is now. */
  addSession(index: number): void {
    this.#changeSession(index, 1)
  }

  /** Takes a session out that was added as it is now. */
  removeSession(index: number): void {
    this.#changeSession(index, -1)
  }

  /** Counts the hits that are new, and returns the counts of all values. */
  byValue(): CountsByValue {
    if (ENDS.has(this.#dimension)) this.#findVisitorsOfEnds()
    else this.#addHits()
    const byValue: CountsByValue = new Map()
    const columns = Object.entries(this.#sums.columns) as [keyof Counts, Float64Array][]
    for (const [row, value] of this.#values.entries()) {
      const visitors = this.#visitors[row]!
      if (visitors.length === 0 && this.#sums.columns.sessions[row] === 0) continue
      const counts = noCounts()
      for (const [name, column] of columns) counts[name] = column[row]!
      byValue.set(this.#rows.values[value]!, { counts, visitors })
    }
    return byValue
  }

  /** Approximate memory use. */
  get bytes(): number {
    const ofVisitors = this.#visitors.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return this.#sums.bytes + this.#rowOf.byteLength + VALUE_BYTES * this.#values.length + ofVisitors
  }

  #rowFor(value: number): number {
    if (value >= this.#rowOf.length) {
      const longer = new Uint32Array(Math.max(this.#rows.values.length, 2 * this.#rowOf.length))
      longer.set(this.#rowOf)
      this.#rowOf = longer
    }
    const known = this.#rowOf[value]!
    if (known !== 0) return known - 1
    const row = this.#sums.add()
    this.#values.push(value)
    this.#visitors.push(NONE)
    this.#rowOf[value] = row + 1
    return row
  }

  #isChosen(index: number): boolean {
    const { startedAt, lastAt } = this.#rows.sessions.columns
    const { start, end, closedFrom } = this.#slice
    return startedAt[index]! >= start && startedAt[index]! < end && lastAt[index]! >= closedFrom!
  }

  #changeSession(index: number, sign: 1 | -1): void {
    if (!this.#isChosen(index)) return
    const dimension = this.#dimension
    if (HITS.has(dimension)) {
      const name = dimension as HitDimension
      const visited = this.#rows.visited[name]
      for (let row = visited.first(index); row >= 0; row = visited.next(row))
        this.#countVisited(name, row, sign)
    } else if (COPIED.has(dimension))
      this.#countSession(index, this.#rows.dimensions.columns[dimension]![index]!, sign)
    else this.#countEnd(index, sign)
  }

  /** Counts a session at a value. @returns the row of the value */
  #countSession(index: number, value: number, sign: 1 | -1): number {
    const { pageviews, firstAt, lastAt } = this.#rows.sessions.columns
    const into = this.#rowFor(value)
    const { sessions, bounces, durationMs } = this.#sums.columns
    sessions[into]! += sign
    if (pageviews[index] === 1) bounces[into]! += sign
    durationMs[into]! += sign * Math.round(lastAt[index]! - firstAt[index]!)
    return into
  }

  #countEnd(index: number, sign: 1 | -1): void {
    const { exit, pageviews, events } = this.#rows.sessions.columns
    const into = this.#countSession(index, exit[index]!, sign)
    const sums = this.#sums.columns
    sums.hits[into]! += sign * (pageviews[index]! + events[index]!)
    sums.pageviews[into]! += sign * pageviews[index]!
  }

  /** Counts a session by what it did on one value. */
  #countVisited(name: HitDimension, row: number, sign: 1 | -1): void {
    const { session, value, seen, engagedMs, scroll } = this.#rows.visited[name].rows.columns
    if ((seen[row]! & SEEN) === 0) return
    const into = this.#countSession(session[row]!, value[row]!, sign)
    if ((seen[row]! & ENGAGED_ON) === 0) return
    const sums = this.#sums.columns
    sums.engagedSessions[into]! += sign
    sums.engagedMs[into]! += sign * engagedMs[row]!
    if (scroll[row]! === 0) return
    sums.scrolledSessions[into]! += sign
    sums.scrollSum[into]! += sign * (scroll[row]! - 1)
  }

  /** Adds all sessions by what they did on each value, in the order of memory. */
  #addVisited(name: HitDimension): void {
    const chosen = new Uint8Array(this.#rows.sessions.length)
    for (let index = 0; index < chosen.length; index++) chosen[index] = this.#isChosen(index) ? 1 : 0
    const { length, columns } = this.#rows.visited[name].rows
    for (let row = 0; row < length; row++)
      if (chosen[columns.session[row]!] === 1) this.#countVisited(name, row, 1)
  }

  /** Adds what is counted by the time of the hit. */
  #addHits(): void {
    const { hitsFrom, hitsTo } = this.#slice
    const { length, columns } = this.#rows.hits
    const { at, kind, session } = columns
    const { visitor } = this.#rows.sessions.columns
    const isOfHit = HITS.has(this.#dimension)
    const values = isOfHit
      ? columns[this.#dimension as HitDimension]
      : this.#rows.dimensions.columns[this.#dimension]!
    const withTime = this.#dimension === 'title' || this.#dimension === ERRORS
    const ranges = this.#rows.hitRanges(hitsFrom, hitsTo, this.#nextHit)
    const most = sizeOf(ranges)
    const pairs = new ValueVisitors(most, Math.min(this.#rows.values.length, this.#values.length + most))
    for (const { from, to } of ranges) {
      for (let row = from; row < to; row++) {
        if (kind[row] === ENGAGEMENT || at[row]! < hitsFrom || at[row]! >= hitsTo) continue
        const value = isOfHit ? values[row]! : values[session[row]!]!
        if (value === 0 && isOfHit) continue
        const into = this.#rowFor(value)
        const sums = this.#sums.columns
        sums.hits[into]!++
        if (kind[row] === PAGEVIEW) sums.pageviews[into]!++
        else if (kind[row] === CUSTOM_EVENT) sums.customEvents[into]!++
        if (withTime && at[row]! > sums.lastAt[into]!) sums.lastAt[into] = at[row]!
        pairs.add(into, visitor[session[row]!]!)
      }
    }
    this.#nextHit = length
    for (const [row, visitors] of pairs.distinct()) this.#addVisitors(row, visitors)
  }

  #addVisitors(row: number, added: Uint32Array): void {
    const known = this.#visitors[row]!
    if (known.length === 0) {
      this.#visitors[row] = added
      return
    }
    const all = concat([known, added])
    const size = moveDistinct(all)
    if (size > known.length) this.#visitors[row] = all.slice(0, size)
  }

  /** The visitors of an exit page are those of its sessions, which change it: they are found anew. */
  #findVisitorsOfEnds(): void {
    const { length, columns } = this.#rows.sessions
    const { startedAt, lastAt, exit, visitor } = columns
    const { start, end, closedFrom } = this.#slice
    const rowOf = this.#rowOf
    const pairs = new ValueVisitors(length, this.#values.length)
    for (let index = 0; index < length; index++) {
      const at = startedAt[index]!
      if (at < start || at >= end || lastAt[index]! < closedFrom!) continue
      pairs.add(rowOf[exit[index]!]! - 1, visitor[index]!)
    }
    this.#visitors.fill(NONE)
    for (const [row, visitors] of pairs.distinct()) this.#visitors[row] = visitors
  }
}

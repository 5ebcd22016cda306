import { moveDistinct } from '../daily/visitor-set.ts'
import {
  type ConversionSlice,
  type ConversionTargets,
  knownIn,
  type SliceConversions,
} from '../goals/slice-conversions.ts'
import type { Window } from '../protocol.ts'
import type { TailRows } from './tail-rows.ts'
import { CUSTOM_EVENT, KIND_COUNT, kindOf, PAGEVIEW } from './tail-shape.ts'

/** Goals by the number of the value that converts them. */
type GoalsOfValues = (number[] | undefined)[]

/** Returns the number of what goals compare of a hit: its path, name or selector. */
const comparedIn = ({ hits: { columns } }: TailRows, kind: number): Uint32Array => {
  if (kind === PAGEVIEW) return columns.path
  return kind === CUSTOM_EVENT ? columns.event_name : columns.selector
}

/**
 * Counts conversions by goal, the same as `countSliceConversions`, of targets without properties; goes on when hits are added.
 */
export class ConversionCounter {
  readonly #rows: TailRows
  readonly #slice: ConversionSlice
  /** When hits count. */
  readonly #hits: Window
  readonly #targets: ConversionTargets
  readonly #currencies: readonly string[]
  readonly #ofHits: Conversions
  #nextHit = 0
  #nextRevenue = 0

  /**
   * @param slice one whose `to` is null; the rows must reach back to the start of `knownIn`
   * @param currencies one for each goal
   */
  constructor(
    rows: TailRows,
    slice: ConversionSlice,
    targets: ConversionTargets,
    currencies: readonly string[],
  ) {
    this.#rows = rows
    this.#slice = slice
    this.#targets = targets
    this.#currencies = currencies
    const { start, end } = knownIn(slice)
    this.#hits = { start, end: Math.min(end, slice.end) }
    this.#ofHits = new Conversions(rows)
  }

  /** Counts the hits that are new, and returns the conversions of all. */
  byGoal(): Map<number, SliceConversions> {
    // Values get their number with their first hit.
    const byKind = goalsByKind(this.#rows, this.#targets)
    this.#addHits(byKind)
    this.#addRevenue(byKind)
    const { scrolls } = this.#targets
    if (scrolls.length === 0) return this.#ofHits.byGoal()
    const all = this.#ofHits.copy()
    addScrolls(this.#rows, this.#slice, scrolls, all)
    return all.byGoal()
  }

  #addHits(byKind: readonly (GoalsOfValues | undefined)[]): void {
    const rows = this.#rows
    const { start, end } = this.#hits
    const { at, kind, session } = rows.hits.columns
    const compared = byKind.map((_, number) => comparedIn(rows, number))
    for (const { from, to } of rows.hitRanges(start, end, this.#nextHit)) {
      for (let row = from; row < to; row++) {
        const ofKind = byKind[kind[row]!]
        if (!ofKind || at[row]! < start || at[row]! >= end) continue
        const goals = ofKind[compared[kind[row]!]![row]!]
        if (goals) for (const goal of goals) this.#ofHits.add(goal, session[row]!)
      }
    }
    this.#nextHit = rows.hits.length
  }

  #addRevenue(byKind: readonly (GoalsOfValues | undefined)[]): void {
    const { values, goals } = this.#rows
    const { length, columns } = goals.revenue
    const { at, kind, value, minor, currency } = columns
    for (let row = this.#nextRevenue; row < length; row++) {
      if (at[row]! < this.#hits.start || at[row]! >= this.#hits.end) continue
      for (const goal of byKind[kind[row]!]?.[value[row]!] ?? [])
        if (values[currency[row]!] === this.#currencies[goal]) this.#ofHits.addRevenue(goal, minor[row]!)
    }
    this.#nextRevenue = length
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.#ofHits.bytes
  }
}

interface OfGoal {
  conversions: number
  revenue: bigint
  /** One bit for each session that converted. */
  sessions: Uint32Array
}

class Conversions {
  readonly #rows: TailRows
  readonly #byGoal = new Map<number, OfGoal>()

  constructor(rows: TailRows) {
    this.#rows = rows
  }

  copy(): Conversions {
    const copy = new Conversions(this.#rows)
    for (const [goal, { sessions, ...sums }] of this.#byGoal)
      copy.#byGoal.set(goal, { ...sums, sessions: sessions.slice() })
    return copy
  }

  add(goal: number, session: number): void {
    let ofGoal = this.#byGoal.get(goal)
    if (!ofGoal) {
      ofGoal = { conversions: 0, revenue: 0n, sessions: new Uint32Array() }
      this.#byGoal.set(goal, ofGoal)
    }
    if (session >>> 5 >= ofGoal.sessions.length) {
      const longer = new Uint32Array(Math.ceil(Math.max(this.#rows.sessions.length, 1.5 * session) / 32) + 1)
      longer.set(ofGoal.sessions)
      ofGoal.sessions = longer
    }
    ofGoal.conversions++
    ofGoal.sessions[session >>> 5]! |= 1 << (session & 31)
  }

  /** Adds the revenue of a hit that was added. */
  addRevenue(goal: number, minor: number): void {
    this.#byGoal.get(goal)!.revenue += BigInt(minor)
  }

  byGoal(): Map<number, SliceConversions> {
    const scratch = new Uint32Array(this.#rows.sessions.length)
    return new Map(
      [...this.#byGoal].map(([goal, { conversions, revenue, sessions }]) => [
        goal,
        { conversions, revenue, visitors: this.#visitorsOf(sessions, scratch) },
      ]),
    )
  }

  #visitorsOf(sessions: Uint32Array, visitors: Uint32Array): Uint32Array {
    const { visitor } = this.#rows.sessions.columns
    let size = 0
    for (const [word, bits] of sessions.entries())
      for (let left = bits; left !== 0; left &= left - 1)
        visitors[size++] = visitor[32 * word + 31 - Math.clz32(left & -left)]!
    return visitors.slice(0, moveDistinct(visitors.subarray(0, size))).sort()
  }

  get bytes(): number {
    return [...this.#byGoal.values()].reduce((sum, { sessions }) => sum + sessions.byteLength, 0)
  }
}

function goalsByKind(rows: TailRows, { hits }: ConversionTargets): (GoalsOfValues | undefined)[] {
  const byKind: (GoalsOfValues | undefined)[] = Array.from({ length: KIND_COUNT })
  for (const { kind, value, goals } of hits) {
    const number = rows.find(value)
    if (number === undefined) continue
    byKind[kindOf(kind)] ??= []
    const ofKind = byKind[kindOf(kind)]!
    ofKind[number] = [...(ofKind[number] ?? []), ...goals]
  }
  return byKind
}

function scrollsByPath(
  rows: TailRows,
  targets: ConversionTargets['scrolls'],
): Map<number, ConversionTargets['scrolls']> {
  const byPath = new Map<number, ConversionTargets['scrolls']>()
  for (const target of targets) {
    const path = rows.find(target.path)
    if (path !== undefined) byPath.set(path, [...(byPath.get(path) ?? []), target])
  }
  return byPath
}

/** Adds pageviews whose first engagement that reached the threshold lies in the slice. */
function addScrolls(
  rows: TailRows,
  slice: ConversionSlice,
  targets: ConversionTargets['scrolls'],
  found: Conversions,
): void {
  const { scrolls } = rows.goals
  const { at, session, pageAt, path, scroll } = scrolls.columns
  const byPath = scrollsByPath(rows, targets)
  const seen = knownIn(slice)
  const reached = new Map<string, { session: number; goals: number[] }>()
  const each = (from: number, to: number, use: (key: string, session: number, goals: number[]) => void) => {
    for (let row = 0; row < scrolls.length; row++) {
      if (at[row]! < from || at[row]! >= to || pageAt[row]! < slice.start || pageAt[row]! >= slice.end)
        continue
      for (const { threshold, goals } of byPath.get(path[row]!) ?? [])
        if (scroll[row]! >= threshold)
          use(`${threshold} ${session[row]} ${pageAt[row]} ${path[row]}`, session[row]!, goals)
    }
  }
  each(seen.start, seen.end, (key, session, goals) => reached.set(key, { session, goals }))
  // An engagement before the slice may have reached the threshold.
  if (reached.size > 0) each(0, seen.start, key => reached.delete(key))
  for (const { session, goals } of reached.values()) for (const goal of goals) found.add(goal, session)
}

/** Returns the values that goals of each kind can match among the hits of a window: those of `list-goal-values`. */
export function listTailValues(
  rows: TailRows,
  { start, end }: { start: number; end: number },
  kinds: readonly string[],
): Map<string, string[]> {
  const { at, kind } = rows.hits.columns
  return new Map(
    kinds.map(name => {
      const wanted = kindOf(name)
      const compared = name === 'engagement' ? rows.hits.columns.path : comparedIn(rows, wanted)
      const isListed = new Uint8Array(rows.values.length)
      for (const { from, to } of rows.hitRanges(start, end))
        for (let row = from; row < to; row++)
          if (kind[row] === wanted && at[row]! >= start && at[row]! < end) isListed[compared[row]!] = 1
      return [name, rows.values.filter((_, value) => isListed[value] === 1)]
    }),
  )
}

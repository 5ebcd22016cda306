import { type Dimension, isHitDimension } from '../../platform/dimensions/dimensions.ts'
import { ENGAGEMENT, type View } from '../../storage/columns/block.ts'
import { doubled } from '../../storage/columns/fill.ts'
import type { ChainRules } from '../funnels/chains.ts'
import { countMoments, type FunnelCounts } from '../funnels/count-chains.ts'
import type { Moments } from '../funnels/moments.ts'
import { type GoalTarget, testOf } from '../goals/goal-target.ts'
import type { Question } from './question.ts'
import { type ByteOrder, byteOrder } from './shared/byte-order.ts'
import { comparedOf, firstReach, Goals } from './shared/conversions.ts'
import { TextMatcher } from './shared/match-texts.ts'
import { columnOf, type Selected, select } from './shared/select.ts'

export interface FunnelAsked {
  steps: GoalTarget[]
  rules: ChainRules
  /** Whether moments are looked at session by session, and not visitor by visitor. */
  isWithinSession: boolean
  /** Whether visitors are counted although their moments are looked at by session. */
  hasOwners: boolean
  /** The first step must lie before, Unix milliseconds. */
  startsBefore: number
  dimension: Dimension | undefined
  /** Values that get a row: as many as this, the most frequent ones, or exactly these. */
  rows: number | string[]
}

/** Counts how far visitors or sessions go through the steps of a funnel (docs/metrics.md "Funnels"). */
export function countFunnel(view: View, question: Question, asked: FunnelAsked): FunnelCounts {
  const order = asked.dimension ? byteOrder(view.texts.ofDimension(asked.dimension)) : undefined
  const finder = new StepFinder(view, asked, new TextMatcher(view, question))
  const blocks = select(view, question).map(block => ({
    block,
    steps: finder.stepsOfHits(block, question),
    scrolls: finder.scrollsOf(block, question),
  }))
  const found = new FoundMoments(asked, order, view.visitors.size)
  for (const { block, steps, scrolls } of blocks) found.noteBeginners(block, steps, scrolls)
  for (const { block, steps, scrolls } of blocks) {
    found.addHits(block, question, steps)
    for (const scroll of scrolls) found.addScroll(block, scroll)
  }
  return countMoments(found.moments(), asked.rules, asked.dimension ? asked.rows : 0)
}

/** An engagement, and the steps that it meets. */
interface Scroll {
  hit: number
  steps: number
}

interface ScrollTarget {
  threshold: number
  /** Steps by the number of the path. */
  steps: Uint8Array
}

class StepFinder {
  readonly #goals: Goals
  /** Step of each goal. */
  readonly #stepOf: number[]
  /** One for each threshold. */
  readonly #scrolls: ScrollTarget[]

  constructor(view: View, { steps }: FunnelAsked, matcher: TextMatcher) {
    const isLate = ({ kind, scrollThreshold }: GoalTarget) =>
      kind === 'engagement' && scrollThreshold !== null && scrollThreshold > 0
    this.#stepOf = steps.flatMap((target, step) => (isLate(target) ? [] : [step]))
    this.#goals = new Goals(
      view,
      this.#stepOf.map(step => steps[step]!),
      matcher,
    )
    const byThreshold = new Map<number, Uint8Array>()
    const paths = view.texts.of('path')
    for (const [step, target] of steps.entries()) {
      if (!isLate(target)) continue
      const passes = new Uint8Array(paths.size)
      matcher.mark(paths, testOf(target).operator, comparedOf(target), passes)
      const masks = byThreshold.get(target.scrollThreshold!) ?? new Uint8Array(paths.size)
      for (let path = 0; path < masks.length; path++) if (passes[path] === 1) masks[path]! |= 1 << step
      byThreshold.set(target.scrollThreshold!, masks)
    }
    this.#scrolls = [...byThreshold].map(([threshold, masks]) => ({ threshold, steps: masks }))
  }

  /** Returns the steps that each hit in the range meets, one bit a step, in sessions that count. */
  stepsOfHits(block: Selected, question: Question): Uint8Array {
    const steps = new Uint8Array(block.hits.count)
    this.#goals.forEach(block, question, block.counts, (goal, hit) => {
      steps[hit]! |= 1 << this.#stepOf[goal]!
    })
    return steps
  }

  /** Returns the first engagement of each pageview that reaches a threshold, if it lies in the range. */
  scrollsOf({ hits, sessions, counts }: Selected, { start, end }: Question): Scroll[] {
    const found: Scroll[] = []
    if (this.#scrolls.length === 0) return found
    const { type, scroll, session, at, values } = hits
    for (let hit = 0; hit < hits.count; hit++) {
      if (type[hit] !== ENGAGEMENT || counts[session[hit]!] === 0) continue
      for (const { threshold, steps } of this.#scrolls) {
        const mask = steps[values.path[hit]!]!
        if (mask === 0 || scroll[hit]! < threshold || at[hit]! < start || at[hit]! >= end) continue
        const first = firstReach(hits, sessions.firstHit[session[hit]!]!, hit, threshold)
        if (first === hit) found.push({ hit, steps: mask })
      }
    }
    return found
  }
}

class FoundMoments {
  readonly #asked: FunnelAsked
  readonly #order: ByteOrder | undefined
  /** 1 for each visitor with a moment of the first step: the others have no chain. */
  readonly #begins: Uint8Array
  #units = new Float64Array(1_024)
  #times = new Float64Array(1_024)
  #steps = new Uint8Array(1_024)
  #silent = new Uint8Array(1_024)
  #owners = new Uint32Array(1_024)
  #values = new Uint32Array(1_024)
  #size = 0

  constructor(asked: FunnelAsked, order: ByteOrder | undefined, visitors: number) {
    this.#asked = asked
    this.#order = order
    this.#begins = new Uint8Array(visitors)
  }

  #grow(): void {
    this.#units = doubled(this.#units)
    this.#times = doubled(this.#times)
    this.#steps = doubled(this.#steps)
    this.#silent = doubled(this.#silent)
    this.#owners = doubled(this.#owners)
    this.#values = doubled(this.#values)
  }

  /** Finds which visitors meet the first step; needed before their moments are added. */
  noteBeginners(block: Selected, steps: Uint8Array, scrolls: readonly Scroll[]): void {
    const { session } = block.hits
    const { visitor } = block.sessions
    const note = (hit: number, met: number) => {
      const of = visitor[session[hit]!]!
      if (of >= 0 && (this.#inTime(block, hit, met) & 1) === 1) this.#begins[of] = 1
    }
    for (let hit = 0; hit < steps.length; hit++) if ((steps[hit]! & 1) === 1) note(hit, 1)
    for (const { hit, steps } of scrolls) note(hit, steps)
  }

  /** Adds the hits that meet a step in time; in the strict order every pageview and event in the range, in sessions that count. */
  addHits(block: Selected, { start, end }: Question, steps: Uint8Array): void {
    const { hits, sessions, counts, isService } = block
    const takesAll = this.#asked.rules.isStrict && !isService
    const isTaken = (hit: number) =>
      hits.type[hit] !== ENGAGEMENT && hits.at[hit]! >= start && hits.at[hit]! < end
    for (let session = 0; session < sessions.count; session++) {
      if (counts[session] === 0 || this.#begins[sessions.visitor[session]!] !== 1) continue
      const last = sessions.firstHit[session + 1]!
      for (let hit = sessions.firstHit[session]!; hit < last; hit++) {
        const inTime = this.#inTime(block, hit, steps[hit]!)
        if (inTime !== 0 || (takesAll && isTaken(hit))) this.#push(block, session, hit, inTime, isService)
      }
    }
  }

  /** Adds an engagement that meets a step in time. */
  addScroll(block: Selected, { hit, steps }: Scroll): void {
    const inTime = this.#inTime(block, hit, steps)
    const session = block.hits.session[hit]!
    const isBeginner = this.#begins[block.sessions.visitor[session]!] === 1
    if (inTime !== 0 && isBeginner) this.#push(block, session, hit, inTime, true)
  }

  #inTime({ hits }: Selected, hit: number, steps: number): number {
    return hits.at[hit]! < this.#asked.startsBefore ? steps : steps & ~1
  }

  /** Adds a moment, unless it has no session although these are looked at. */
  #push(block: Selected, session: number, hit: number, steps: number, isSilent: boolean): void {
    const { isWithinSession, dimension } = this.#asked
    const { hits, sessions } = block
    const visitor = sessions.visitor[session]!
    const unit = isWithinSession ? sessions.no[session]! : visitor
    if (isWithinSession && unit <= 0) return
    if (this.#size === this.#units.length) this.#grow()
    const place = this.#size++
    this.#units[place] = unit
    this.#times[place] = hits.at[hit]!
    this.#steps[place] = steps
    this.#silent[place] = isSilent ? 1 : 0
    this.#owners[place] = visitor
    if (!this.#order || !dimension || (steps & 1) === 0) return
    const of = isHitDimension(dimension) ? hit : session
    this.#values[place] = this.#order.rankOf[columnOf(block, dimension)[of]!]!
  }

  moments(): Moments {
    const size = this.#size
    return {
      units: this.#units.subarray(0, size),
      times: this.#times.subarray(0, size),
      steps: this.#steps.subarray(0, size),
      isSilent: this.#silent.subarray(0, size),
      owners: this.#owners.subarray(0, this.#asked.hasOwners ? size : 0),
      values: this.#values.subarray(0, size),
      texts: this.#order?.texts ?? [''],
    }
  }
}

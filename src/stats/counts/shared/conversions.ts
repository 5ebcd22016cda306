import { BLOCK_TYPES, type Block, ENGAGEMENT, typeNumber, type View } from '../../../storage/columns/block.ts'
import { type GoalTarget, testOf } from '../../goals/goal-target.ts'
import type { Question } from '../question.ts'
import type { Compared } from '../refused.ts'
import type { TextMatcher } from './match-texts.ts'
import { propertyOf } from './properties.ts'

/** Receives a conversion: the number of its goal, the position of the hit, and when it was; of a scroll that is its pageview's time. */
export type Converted = (goal: number, hit: number, at: number) => void

interface Target {
  goal: number
  type: number
  /** Column of the text: the selector, a property, where it is undefined. */
  on: 'path' | 'event_name' | undefined
  scrollThreshold: number
  /** Numbers of the keys and values that the hit must carry; undefined when one of them occurs nowhere. */
  properties: [key: number, value: number][] | undefined
}

/** Targets of hits of one type: all of them compare the same column. */
interface TargetsOfType {
  on: Target['on']
  /** Those that every text meets. */
  anyText: Target[]
  /** All that a text meets, by its number; undefined where these are the ones that every text meets. */
  byText: (Target[] | undefined)[]
}

/** Finds the conversions of goals in the blocks of one view. */
export class Goals {
  readonly #targets: Target[]
  /** By type of hits; undefined where no goal is about them. */
  readonly #ofType: (TargetsOfType | undefined)[]
  readonly #selector: number | undefined

  /**
   * @param goals each is one target
   * @throws CountRefused
   */
  constructor({ texts }: View, goals: readonly GoalTarget[], matcher: TextMatcher) {
    this.#selector = texts.of('property_key').find('selector')
    this.#ofType = BLOCK_TYPES.map(() => undefined)
    this.#targets = goals.map((given, goal) => {
      const on = given.on === 'path' ? 'path' : given.on === 'name' ? 'event_name' : undefined
      const target: Target = {
        goal,
        // Every pageview reaches a scroll of 0 %, with or without engagement.
        type: typeNumber(given.kind === 'engagement' && !given.scrollThreshold ? 'pageview' : given.kind),
        on,
        scrollThreshold: given.scrollThreshold ?? 0,
        properties: propertiesOf(texts, given.props),
      }
      const ofType = this.#ofType[target.type] ?? { on, anyText: [], byText: [] }
      this.#ofType[target.type] = ofType
      if (given.value === null) {
        ofType.anyText.push(target)
        return target
      }
      const known = texts.of(on ?? 'property_value')
      if (ofType.byText.length === 0) ofType.byText = new Array(known.size)
      const { byText } = ofType
      const passes = new Uint8Array(known.size)
      matcher.mark(known, given.operator, comparedOf(given), passes)
      for (let text = 0; text < passes.length; text++) {
        if (passes[text] === 0) continue
        byText[text] ??= []
        byText[text]!.push(target)
      }
      return target
    })
    for (const targets of this.#ofType) {
      const { anyText = [], byText = [] } = targets ?? {}
      if (anyText.length > 0) for (const met of byText) met?.push(...anyText)
    }
  }

  /**
   * Calls back for each conversion in a block whose time lies in the range, in the order of the hits. A pageview that was scrolled converts
   * once, at the first engagement that is deep enough.
   * @param counted only the sessions marked with 1; undefined for all
   */
  forEach(
    { hits, sessions: { count, firstHit } }: Block,
    { start, end }: Pick<Question, 'start' | 'end'>,
    counted: Uint8Array | undefined,
    converted: Converted,
  ): void {
    const { type, at, pageAt } = hits
    const columns = this.#ofType.map(targets => targets?.on && hits.values[targets.on])
    for (let session = 0; session < count; session++) {
      if (counted && counted[session] === 0) continue
      const first = firstHit[session]!
      for (let hit = first; hit < firstHit[session + 1]!; hit++) {
        const ofType = this.#ofType[type[hit]!]
        if (!ofType) continue
        const text = columns[type[hit]!]?.[hit] ?? propertyOf(hits, hit, this.#selector)
        const targets = ofType.byText[text] ?? ofType.anyText
        if (targets.length === 0) continue
        const time = type[hit] === ENGAGEMENT ? pageAt[hit]! : at[hit]!
        if (time < start || time >= end) continue
        for (const target of targets) {
          if (this.#meets(hits, hit, target, first)) converted(target.goal, hit, time)
        }
      }
    }
  }

  /** Returns the text, by number in its domain, that a goal compares of a hit: path, name or selector. */
  matchedOf(hits: Block['hits'], hit: number, goal: number): number {
    const { on } = this.#targets[goal]!
    return on ? hits.values[on][hit]! : propertyOf(hits, hit, this.#selector)
  }

  /** Whether a hit whose text meets a target has all else that it asks for. */
  #meets(
    hits: Block['hits'],
    hit: number,
    { properties, scrollThreshold, type }: Target,
    firstOfSession: number,
  ): boolean {
    if (type === ENGAGEMENT) {
      return (
        hits.scroll[hit]! >= scrollThreshold && firstReach(hits, firstOfSession, hit, scrollThreshold) === hit
      )
    }
    if (!properties) return false
    for (const [key, value] of properties) if (!carries(hits, hit, key, value)) return false
    return true
  }
}

/** Returns what a target compares with texts. */
export const comparedOf = (target: GoalTarget): Compared => ({
  field: target.field ?? 'goal',
  value: testOf(target).value,
  goal: target.name,
})

function propertiesOf(
  texts: View['texts'],
  wanted: Record<string, string>,
): [key: number, value: number][] | undefined {
  const pairs: [number, number][] = []
  for (const [key, value] of Object.entries(wanted)) {
    const keyNumber = texts.of('property_key').find(key)
    const valueNumber = texts.of('property_value').find(value)
    if (keyNumber === undefined || valueNumber === undefined) return undefined
    pairs.push([keyNumber, valueNumber])
  }
  return pairs
}

function carries(
  { firstProperty, propertyKeys, propertyValues }: Block['hits'],
  hit: number,
  key: number,
  value: number,
): boolean {
  for (let index = firstProperty[hit]!; index < firstProperty[hit + 1]!; index++) {
    if (propertyKeys[index] === key && propertyValues[index] === value) return true
  }
  return false
}

/**
 * Returns the first engagement of the pageview of an engagement, up to itself, that reaches a scroll depth.
 * @param from position of the first hit of the session
 */
export function firstReach(
  { type, pageAt, values, scroll }: Block['hits'],
  from: number,
  hit: number,
  threshold: number,
): number {
  for (let earlier = from; earlier < hit; earlier++) {
    const isOfPageview =
      type[earlier] === ENGAGEMENT &&
      pageAt[earlier] === pageAt[hit] &&
      values.path[earlier] === values.path[hit]
    if (isOfPageview && scroll[earlier]! >= threshold) return earlier
  }
  return hit
}

/** Returns 1 for each session of a block that converted one of the targets in the range, else 0. */
export function convertedSessions(
  view: View,
  targets: readonly GoalTarget[],
  range: Pick<Question, 'start' | 'end'>,
  matcher: TextMatcher,
): Uint8Array[] {
  const goals = new Goals(view, targets, matcher)
  return view.blocks.map(block => {
    const converted = new Uint8Array(block.sessions.count)
    goals.forEach(block, range, undefined, (_, hit) => {
      converted[block.hits.session[hit]!] = 1
    })
    return converted
  })
}

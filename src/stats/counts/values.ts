import { type BreakdownDimension, isOfSessionEnd } from '../../platform/dimensions/dimensions.ts'
import type { EventType } from '../../platform/dimensions/event-types.ts'
import { ERRORS, PROPERTIES } from '../../platform/dimensions/rolled-up.ts'
import { ENGAGEMENT, EVENT, NONE, type Numbers, PAGEVIEW, type View } from '../../storage/columns/block.ts'
import { type Counts, noCounts } from '../../storage/rollups/daily/codec.ts'
import type { CountedValue, RankedValue } from '../../storage/rollups/protocol.ts'
import { countPropertiesWithVisitors } from './frequencies.ts'
import type { Question } from './question.ts'
import { Pairs } from './shared/distinct.ts'
import { type Keys, keysOf } from './shared/keys.ts'
import { isSeen, type Selected, select } from './shared/select.ts'

export interface ValuesAsked<Of = BreakdownDimension> {
  dimension: Of
  /** Time zone of the site; the hours of `hour_of_week` are its. */
  zone: string
}

/**
 * Counts by value of a dimension (docs/metrics.md "Breakdown"), in any order; values without visitors, sessions and pageviews are
 * absent. Events that the service wrote do not count.
 */
export function countValues(view: View, question: Question, { dimension, zone }: ValuesAsked): RankedValue[] {
  return countKeys(view, question, { dimension, zone }).rows()
}

/**
 * Counts the same with lists of visitors, for counts that are added to others; of errors (`ERRORS`) and of properties of events (`propertiesOf`), too.
 */
export function countValuesWithVisitors(
  view: View,
  question: Question,
  { dimension, zone }: ValuesAsked<string>,
): CountedValue[] {
  if (!dimension.startsWith(`${PROPERTIES}/`))
    return countKeys(view, question, { dimension: dimension as BreakdownDimension, zone }).parts(view)
  const [, eventType, ...name] = dimension.split('/')
  return countPropertiesWithVisitors(view, question, {
    eventType: eventType as EventType,
    eventName: name.join('/'),
  })
}

function countKeys(
  view: View,
  question: Question,
  { dimension, zone }: ValuesAsked<BreakdownDimension | typeof ERRORS>,
): CountsByKey {
  const keys = keysOf(view, dimension, question, zone)
  const counts = new CountsByKey(keys, view.visitors.size)
  for (const selected of select(view, question)) {
    if (selected.isService) continue
    const ofSessions = keys.ofSessions(selected)
    if (dimension !== ERRORS && isOfSessionEnd(dimension)) counts.addEnded(selected, ofSessions!)
    else {
      counts.addHits(selected, keys.ofHits(selected), !ofSessions)
      if (ofSessions) counts.addSessions(selected, ofSessions)
    }
  }
  return counts
}

class CountsByKey {
  readonly #keys: Keys
  readonly #visitors: number
  readonly #pairs = new Pairs()
  /** By key; made when the first count of a key comes. */
  readonly #counts: (Counts | undefined)[]
  /** By key: the last session, a number from 1 on, that saw it, and that had engagement there; how deep that was. */
  readonly #seen: Int32Array
  readonly #engaged: Int32Array
  readonly #deepest: Int16Array
  #session = 0

  constructor(keys: Keys, visitors: number) {
    this.#keys = keys
    this.#visitors = visitors
    this.#counts = new Array(keys.count)
    this.#seen = new Int32Array(keys.count)
    this.#engaged = new Int32Array(keys.count)
    this.#deepest = new Int16Array(keys.count)
  }

  #of(key: number): Counts {
    let counts = this.#counts[key]
    if (!counts) {
      counts = noCounts()
      this.#counts[key] = counts
    }
    return counts
  }

  /** Adds the hits in the range, and where `isOfHits`, the sessions that started in it to each value that they saw. */
  addHits(selected: Selected, keyOf: Numbers, isOfHits: boolean): void {
    const { inRange, started, counts: isCounted, sessions, hits } = selected
    const { type, at } = hits
    const { none } = this.#keys
    for (let session = 0; session < sessions.count; session++) {
      if (isCounted[session] === 0) continue
      const stamp = isOfHits && started[session] === 1 ? ++this.#session : 0
      const visitor = sessions.visitor[session]!
      const end = sessions.firstHit[session + 1]!
      let hasEngagement = false
      for (let hit = sessions.firstHit[session]!; hit < end; hit++) {
        const key = keyOf[hit]!
        if (key === none) continue
        if (inRange[hit] === 1) {
          const counts = this.#of(key)
          counts.hits += 1
          if (type[hit] === PAGEVIEW) counts.pageviews += 1
          else if (type[hit] === EVENT) counts.customEvents += 1
          if (at[hit]! > counts.lastAt) counts.lastAt = at[hit]!
          this.#pairs.add(key, visitor)
        }
        if (stamp === 0) continue
        if (type[hit] === ENGAGEMENT) hasEngagement = true
        if (this.#seen[key] === stamp || !isSeen(selected, hit)) continue
        this.#seen[key] = stamp
        this.#addSession(sessions, session, key)
      }
      if (hasEngagement) this.#addEngagement(selected, session, keyOf, stamp)
    }
  }

  /** Adds the engagement of a session to the values that it saw. */
  #addEngagement({ sessions, hits }: Selected, session: number, keyOf: Numbers, stamp: number): void {
    const { type, engagedMs, scroll } = hits
    const deepest = this.#deepest
    for (let hit = sessions.firstHit[session]!; hit < sessions.firstHit[session + 1]!; hit++) {
      const key = keyOf[hit]!
      if (type[hit] !== ENGAGEMENT || this.#seen[key] !== stamp) continue
      const counts = this.#of(key)
      if (this.#engaged[key] !== stamp) {
        this.#engaged[key] = stamp
        deepest[key] = NONE
        counts.engagedSessions += 1
      }
      counts.engagedMs += engagedMs[hit]!
      const depth = scroll[hit]!
      if (depth <= deepest[key]!) continue
      if (deepest[key] === NONE) {
        counts.scrolledSessions += 1
        counts.scrollSum += depth
      } else counts.scrollSum += depth - deepest[key]!
      deepest[key] = depth
    }
  }

  /** Adds the sessions that started in the range, by a value of their own. */
  addSessions({ sessions, started }: Selected, keyOf: Numbers): void {
    for (let session = 0; session < sessions.count; session++) {
      if (started[session] === 1) this.#addSession(sessions, session, keyOf[session]!)
    }
  }

  /** The same of values that are known at the end of a session: everything counts by its start. */
  addEnded(selected: Selected, keyOf: Numbers): void {
    const { sessions, started } = selected
    this.addSessions(selected, keyOf)
    for (let session = 0; session < sessions.count; session++) {
      if (started[session] === 0) continue
      const counts = this.#of(keyOf[session]!)
      counts.pageviews += sessions.pageviews[session]!
      counts.hits += sessions.pageviews[session]! + sessions.events[session]!
      this.#pairs.add(keyOf[session]!, sessions.visitor[session]!)
    }
  }

  #addSession({ pageviews, durationMs }: Selected['sessions'], session: number, key: number): void {
    const counts = this.#of(key)
    counts.sessions += 1
    if (pageviews[session] === 1) counts.bounces += 1
    counts.durationMs += durationMs[session]!
  }

  /** Visitors as numbers of the database. */
  parts(view: View): CountedValue[] {
    const visitors = this.#pairs.distinct(this.#keys.count, this.#visitors)
    return this.#counts.flatMap((counts, key) => {
      if (!counts) return []
      const { visitors: _, ...others } = counts
      const list = Uint32Array.from(visitors[key]!, visitor => view.visitors.visitorNo(visitor))
      return { value: this.#keys.text(key), counts: others, visitors: list }
    })
  }

  rows(): RankedValue[] {
    const visitors = this.#pairs.countDistinct(this.#keys.count, this.#visitors)
    return this.#counts.flatMap((counts, key) => {
      if (!counts) return []
      counts.visitors = visitors[key]!
      if (counts.visitors + counts.sessions + counts.pageviews === 0) return []
      return { ...counts, value: this.#keys.text(key) }
    })
  }
}

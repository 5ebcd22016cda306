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
      const ofHits = keys.ofHits(selected)
      counts.addHits(selected, ofHits)
      if (ofSessions) counts.addSessions(selected, ofSessions)
      else counts.addSeen(selected, ofHits)
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

  /** Adds the hits in the range. */
  addHits(selected: Selected, keyOf: Numbers): void {
    const { inRange, counts: isCounted, sessions, hits } = selected
    const { type, at } = hits
    for (let session = 0; session < sessions.count; session++) {
      if (isCounted[session] === 0) continue
      const end = sessions.firstHit[session + 1]!
      for (let hit = sessions.firstHit[session]!; hit < end; hit++) {
        if (inRange[hit] === 0) continue
        const key = keyOf[hit]!
        if (key === this.#keys.none) continue
        const counts = this.#of(key)
        counts.hits += 1
        if (type[hit] === PAGEVIEW) counts.pageviews += 1
        else if (type[hit] === EVENT) counts.customEvents += 1
        if (at[hit]! > counts.lastAt) counts.lastAt = at[hit]!
        this.#pairs.add(key, sessions.visitor[session]!)
      }
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

  /** Adds the sessions that started in the range to each value that they saw, once, with their engagement there. */
  addSeen(selected: Selected, keyOf: Numbers): void {
    const { sessions, started, hits } = selected
    const { type, engagedMs, scroll } = hits
    const seen = this.#seen
    const engaged = this.#engaged
    const deepest = this.#deepest
    for (let session = 0; session < sessions.count; session++) {
      if (started[session] === 0) continue
      const stamp = ++this.#session
      const first = sessions.firstHit[session]!
      const end = sessions.firstHit[session + 1]!
      let hasEngagement = false
      for (let hit = first; hit < end; hit++) {
        if (type[hit] === ENGAGEMENT) hasEngagement = true
        const key = keyOf[hit]!
        if (seen[key] === stamp || key === this.#keys.none || !isSeen(selected, hit)) continue
        seen[key] = stamp
        this.#addSession(sessions, session, key)
      }
      for (let hit = first; hasEngagement && hit < end; hit++) {
        const key = keyOf[hit]!
        if (type[hit] !== ENGAGEMENT || seen[key] !== stamp) continue
        const counts = this.#of(key)
        if (engaged[key] !== stamp) {
          engaged[key] = stamp
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

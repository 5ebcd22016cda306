import { type Dimension, isHitDimension } from '../../platform/dimensions/dimensions.ts'
import type { EventType } from '../../platform/dimensions/event-types.ts'
import { propertyText } from '../../platform/dimensions/rolled-up.ts'
import { BLOCK_TYPES, typeNumber, type View } from '../../storage/columns/block.ts'
import type { CountedValue } from '../../storage/rollups/protocol.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Pairs } from './shared/distinct.ts'
import { columnOf, isSeen, select } from './shared/select.ts'

export interface Frequency {
  value: string
  /** Of a dimension of hits: hits in the range; of another one: sessions that started there. */
  count: number
}

/** Counts how often each value of a dimension occurs, in any order; the empty one is left out. */
export function countFrequencies(
  view: View,
  question: Question,
  { dimension }: { dimension: Dimension },
): Frequency[] {
  const texts = view.texts.ofDimension(dimension)
  const counts = new Float64Array(texts.size)
  for (const selected of select(view, question)) {
    const column = columnOf(selected, dimension)
    const counted = isHitDimension(dimension) ? selected.inRange : selected.started
    for (let index = 0; index < counted.length; index++)
      if (counted[index] === 1) counts[column[index]!]! += 1
  }
  return Array.from(counts, (count, number) => ({ value: texts.text(number), count })).filter(
    ({ value, count }) => value !== '' && count > 0,
  )
}

export interface TypeCount {
  /** Position of the bucket. */
  bucket: number
  type: EventType
  hits: number
}

/**
 * Counts hits by bucket and type.
 * @param asked.bounds of the buckets, one more than buckets
 * @param asked.errorId only occurrences of this error
 */
export function countTypes(
  view: View,
  question: Question,
  { bounds, types, errorId }: { bounds: number[]; types: EventType[]; errorId?: string | undefined },
): TypeCount[] {
  const buckets = new Buckets(bounds)
  const counts = new Float64Array(buckets.count * BLOCK_TYPES.length)
  const error = errorId === undefined ? undefined : (view.texts.of('error').find(errorId) ?? -1)
  for (const { hits, inRange } of select(view, question)) {
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 0 || (error !== undefined && hits.error[hit] !== error)) continue
      const bucket = buckets.of(hits.at[hit]!)
      if (bucket >= 0) counts[bucket * BLOCK_TYPES.length + hits.type[hit]!]! += 1
    }
  }
  return types.flatMap(type =>
    Array.from({ length: buckets.count }, (_, bucket) => ({
      bucket,
      type,
      hits: counts[bucket * BLOCK_TYPES.length + typeNumber(type)]!,
    })).filter(({ hits }) => hits > 0),
  )
}

/** Counts the sessions that saw a title, by the bucket in which they started. */
export function countTitleSeries(
  view: View,
  question: Question,
  { title, bounds }: { title: string; bounds: number[] },
): number[] {
  const buckets = new Buckets(bounds)
  const counts = new Array<number>(buckets.count).fill(0)
  const number = view.texts.of('title').find(title)
  if (number === undefined) return counts
  for (const selected of select(view, question)) {
    const { hits, sessions, started } = selected
    let last = -1
    for (let hit = 0; hit < hits.count; hit++) {
      const session = hits.session[hit]!
      if (session === last || started[session] === 0 || hits.values.title[hit] !== number) continue
      if (!isSeen(selected, hit)) continue
      last = session
      const bucket = buckets.of(sessions.startedAt[session]!)
      if (bucket >= 0) counts[bucket]! += 1
    }
  }
  return counts
}

export interface PropertyCount {
  key: string
  value: string
  visitors: number
}

/** Counts the distinct visitors of each property of the events of a type and name, in any order. */
export function countProperties(view: View, question: Question, asked: NamedEvent): PropertyCount[] {
  const { found, pairs } = findProperties(view, question, asked)
  const visitors = pairs.countDistinct(found.length, view.visitors.size)
  return found.map(({ key, value }, number) => ({ key, value, visitors: visitors[number]! }))
}

/** Counts the hits with each property with lists of visitors, for counts that are added to others. */
export function countPropertiesWithVisitors(
  view: View,
  question: Question,
  asked: NamedEvent,
): CountedValue[] {
  const { found, pairs } = findProperties(view, question, asked)
  const visitors = pairs.distinct(found.length, view.visitors.size)
  return found.map(({ key, value, hits }, number) => ({
    value: propertyText(key, value),
    counts: { hits },
    visitors: Uint32Array.from(visitors[number]!, visitor => view.visitors.visitorNo(visitor)),
  }))
}

interface NamedEvent {
  eventType: EventType
  eventName: string
}

function findProperties(view: View, question: Question, { eventType, eventName }: NamedEvent) {
  const type = typeNumber(eventType)
  const name = view.texts.of('event_name').find(eventName)
  const keys = view.texts.of('property_key')
  const values = view.texts.of('property_value')
  const numbers = new Map<number, number>()
  const hitsOf: number[] = []
  const pairs = new Pairs()
  for (const { hits, inRange, sessions } of select(view, question)) {
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 0 || hits.type[hit] !== type || hits.values.event_name[hit] !== name) continue
      for (let index = hits.firstProperty[hit]!; index < hits.firstProperty[hit + 1]!; index++) {
        const property = hits.propertyKeys[index]! * values.size + hits.propertyValues[index]!
        const number = numbers.get(property) ?? numbers.size
        numbers.set(property, number)
        hitsOf[number] = (hitsOf[number] ?? 0) + 1
        pairs.add(number, sessions.visitor[hits.session[hit]!]!)
      }
    }
  }
  const found = [...numbers].map(([property, number]) => ({
    key: keys.text(Math.floor(property / values.size)),
    value: values.text(property % values.size),
    hits: hitsOf[number]!,
  }))
  return { found, pairs }
}

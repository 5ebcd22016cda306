import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import { isHitDimension } from '../../../platform/dimensions/dimensions.ts'
import { type Block, ENGAGEMENT, type Numbers, type View } from '../../../storage/columns/block.ts'
import type { SiteTexts } from '../../../storage/columns/texts.ts'
import type { Condition, DimensionFilter } from '../../conditions/conditions.ts'
import type { PropertyFilter } from '../../filters/resolved-query.ts'
import type { Question } from '../question.ts'
import { convertedSessions } from './conversions.ts'
import { isNegative, passesAll, TextMatcher } from './match-texts.ts'
import { joinCopies } from './service-copies.ts'

/** What of a block counts. */
export interface Selected extends Block {
  /** 1 for each session that passes all filters, wherever it started. */
  counts: Uint8Array
  /** 1 for each of these that started in the range; of events of the service none did. */
  started: Uint8Array
  /** 1 for each pageview and event in the range that passes all filters. */
  inRange: Uint8Array
  /** Whether there are filters on hits: a session saw only the hits that pass them, and else all of its hits. */
  narrowsHits: boolean
}

/** A column that is compared, and for each of its texts whether it passes. */
type Test = { dimension: Dimension; passes: Uint8Array }

/** Dimensions of pages. Events that the service writes have no page: their empty value is not `(none)`. */
const PAGE_DIMENSIONS: ReadonlySet<Dimension> = new Set(['path', 'title', 'hostname'])

/**
 * Selects what counts for a question, block by block.
 * @throws CountRefused
 */
export function select(view: View, question: Question): Selected[] {
  const { blocks, texts } = view
  const matcher = new TextMatcher(view, question)
  const tests = testsOf(texts, question.filters, matcher)
  const onHits = tests.filter(({ dimension }) => isHitDimension(dimension))
  const onSessions = tests.filter(({ dimension }) => !isHitDimension(dimension))
  const properties = question.properties.map(filter => propertyTest(texts, filter, matcher))
  const narrowsHits = onHits.length + properties.length > 0
  const needsPage = onHits.some(({ dimension }) => PAGE_DIMENSIONS.has(dimension))
  const counts = blocks.map(block => passing(block.sessions.count, block, onSessions))
  const seen = narrowsHits
    ? blocks.map(block => {
        const { hits, isService } = block
        if (needsPage && isService) return new Uint8Array(hits.count)
        const marked = passing(hits.count, block, onHits)
        for (const test of properties) keepWithProperty(block, test, marked)
        keepInRange(block, question, marked)
        return marked
      })
    : undefined
  // What an event of the service says of its session counts for the session itself, and the other way round.
  const kept = [
    ...(seen ? [blocks.map((block, index) => sessionsOf(block, seen[index]!))] : []),
    ...question.goals.map(targets => convertedSessions(view, targets, question, matcher)),
  ]
  for (const sessions of kept) {
    joinCopies(blocks, sessions)
    for (const [index, passes] of sessions.entries()) keepAll(counts[index]!, passes)
  }
  return blocks.map((block, index) => {
    const of = counts[index]!
    let inRange = seen?.[index]
    if (inRange) keepHitsOf(block, of, inRange)
    const { isService, sessions, hits, vitals } = block
    return {
      ...{ isService, sessions, hits, vitals, counts: of, narrowsHits },
      started: startedInRange(block, of, question),
      // Many counts look at sessions alone.
      get inRange() {
        inRange ??= hitsOf(block, of, question)
        return inRange
      },
    }
  })
}

/** Returns the column of a dimension: of hits, or of sessions. */
export const columnOf = ({ hits, sessions }: Block, dimension: Dimension): Numbers =>
  isHitDimension(dimension) ? hits.values[dimension] : sessions.values[dimension as never]

/** Whether a session counts as having seen a hit: every pageview and event of its own, or those that pass the filters on hits. */
export const isSeen = (selected: Selected, hit: number): boolean =>
  selected.narrowsHits ? selected.inRange[hit] === 1 : selected.hits.type[hit] !== ENGAGEMENT

/** One test for each dimension: of several conditions all must hold. */
function testsOf(texts: SiteTexts, filters: readonly DimensionFilter[], matcher: TextMatcher): Test[] {
  const byDimension = new Map<Dimension, Condition[]>()
  for (const { dimension, condition } of filters) {
    byDimension.set(dimension, [...(byDimension.get(dimension) ?? []), condition])
  }
  return [...byDimension].map(([dimension, conditions]) => ({
    dimension,
    passes: passesAll(texts.ofDimension(dimension), conditions, matcher)!,
  }))
}

/** Returns 1 for each session, or each hit, of a block that passes all tests. */
function passing(count: number, block: Block, tests: readonly Test[]): Uint8Array {
  const kept = new Uint8Array(count).fill(1)
  for (const { dimension, passes } of tests) {
    const column = columnOf(block, dimension)
    for (let index = 0; index < count; index++) kept[index]! &= passes[column[index]!]!
  }
  return kept
}

function keepInRange({ hits: { count, at, type } }: Block, { start, end }: Question, kept: Uint8Array): void {
  for (let hit = 0; hit < count; hit++) {
    if (kept[hit] === 1 && (type[hit] === ENGAGEMENT || at[hit]! < start || at[hit]! >= end)) kept[hit] = 0
  }
}

/** Returns 1 for each pageview and event in the range of the sessions that count. */
function hitsOf(
  { isService, hits: { at, type }, sessions: { count, firstHit, firstAt, lastAt } }: Block,
  counts: Uint8Array,
  { start, end }: Question,
): Uint8Array {
  const found = new Uint8Array(at.length)
  for (let session = 0; session < count; session++) {
    if (counts[session] === 0) continue
    const isWhole = !isService && firstAt[session]! >= start && lastAt[session]! < end
    for (let hit = firstHit[session]!; hit < firstHit[session + 1]!; hit++) {
      if (type[hit] !== ENGAGEMENT && (isWhole || (at[hit]! >= start && at[hit]! < end))) found[hit] = 1
    }
  }
  return found
}

function keepAll(kept: Uint8Array, passes: Uint8Array): void {
  for (let index = 0; index < kept.length; index++) kept[index]! &= passes[index]!
}

/** Returns 1 for each session with a hit that is marked. */
function sessionsOf({ sessions, hits: { count, session } }: Block, marked: Uint8Array): Uint8Array {
  const found = new Uint8Array(sessions.count)
  for (let hit = 0; hit < count; hit++) if (marked[hit] === 1) found[session[hit]!] = 1
  return found
}

function keepHitsOf({ hits: { count, session } }: Block, counts: Uint8Array, kept: Uint8Array): void {
  for (let hit = 0; hit < count; hit++) if (kept[hit] === 1 && counts[session[hit]!] === 0) kept[hit] = 0
}

function startedInRange(
  { isService, sessions: { count, startedAt } }: Block,
  counts: Uint8Array,
  { start, end }: Question,
): Uint8Array {
  const started = new Uint8Array(count)
  if (isService) return started
  for (let session = 0; session < count; session++) {
    started[session] = startedAt[session]! >= start && startedAt[session]! < end ? counts[session]! : 0
  }
  return started
}

interface PropertyTest {
  /** Keys that no property may have are marked with 0. */
  allowedKeys: Uint8Array | undefined
  /** Whether a hit must have properties. */
  needsSome: boolean
  /** Of one property, key and value must pass; undefined when all do. */
  keys: Uint8Array | undefined
  values: Uint8Array | undefined
  /** Whether a hit without properties passes. */
  takesNone: boolean
}

/**
 * A negative condition on keys applies to all properties of a hit: none may have such a key. The others, and those on values, apply to one
 * property.
 */
function propertyTest(
  texts: SiteTexts,
  { keys, values }: PropertyFilter,
  matcher: TextMatcher,
): PropertyTest {
  const negative = keys.filter(isNegative)
  const named = keys.filter(key => !isNegative(key))
  const onKeys = texts.of('property_key')
  return {
    allowedKeys: passesAll(onKeys, negative, matcher),
    needsSome: negative.some(key => key.operator === 'is_not' && key.values.includes('')),
    keys: passesAll(onKeys, named, matcher),
    values: passesAll(texts.of('property_value'), values, matcher),
    takesNone: values.length === 0 && named.every(key => key.operator === 'is' && key.values.includes('')),
  }
}

function keepWithProperty({ hits }: Block, test: PropertyTest, kept: Uint8Array): void {
  const { firstProperty, propertyKeys, propertyValues } = hits
  const { allowedKeys, keys, values, needsSome, takesNone } = test
  const needsProperty = keys !== undefined || values !== undefined
  for (let hit = 0; hit < kept.length; hit++) {
    if (kept[hit] === 0) continue
    const first = firstProperty[hit]!
    const end = firstProperty[hit + 1]!
    let isAllowed = first < end || !needsSome
    let isPresent = !needsProperty || (first === end && takesNone)
    for (let index = first; index < end; index++) {
      const key = propertyKeys[index]!
      if (allowedKeys && allowedKeys[key] === 0) isAllowed = false
      if ((!keys || keys[key] === 1) && (!values || values[propertyValues[index]!] === 1)) isPresent = true
    }
    if (!isAllowed || !isPresent) kept[hit] = 0
  }
}

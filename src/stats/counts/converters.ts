import { isHitDimension, isOfSessionEnd } from '../../platform/dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../platform/dimensions/registry.ts'
import type { View } from '../../storage/columns/block.ts'
import { fill } from '../../storage/columns/fill.ts'
import type { GoalTarget } from '../goals/goal-target.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Goals } from './shared/conversions.ts'
import { Pairs, VisitorSet } from './shared/distinct.ts'
import { keysOf } from './shared/keys.ts'
import { TextMatcher } from './shared/match-texts.ts'
import type { OfValue, ValueAsked } from './shared/of-value.ts'
import { locatePage } from './shared/pages.ts'
import { type Selected, select } from './shared/select.ts'
import { joinCopies } from './shared/service-copies.ts'

/** Of a value: only conversions that `countConvertersByValue` counts for it. */
type ConvertersAsked = { targets: GoalTarget[] } & OfValue

/**
 * Counts the distinct visitors with a conversion by consecutive buckets, and together.
 * @param asked.bounds of the buckets, Unix milliseconds, one more than buckets
 */
export function countConverterParts(
  view: View,
  question: Question,
  { bounds, ...asked }: ConvertersAsked & { bounds: readonly number[] },
): { buckets: number[]; visitors: number } {
  const buckets = new Buckets(bounds)
  const pairs = new Pairs()
  const all = new VisitorSet(view.visitors.size)
  eachConversion(view, question, asked, (visitor, at) => {
    pairs.add(buckets.of(at), visitor)
    all.add(visitor)
  })
  return { buckets: [...pairs.countDistinct(buckets.count, view.visitors.size)], visitors: all.size }
}

/** A visitor who converted, and when last, Unix milliseconds. */
export interface Converter {
  visitorNo: number
  at: number
}

/**
 * Lists visitors with a conversion, those first who converted last; of one moment, the one with the highest number first.
 * @param asked.after where the list continues: behind this visitor
 */
export function listConverters(
  view: View,
  question: Question,
  { after, limit, ...asked }: ConvertersAsked & { after?: Converter | undefined; limit: number },
): Converter[] {
  const { visitors } = view
  const lastAt = new Float64Array(visitors.size).fill(Number.NEGATIVE_INFINITY)
  eachConversion(view, question, asked, (visitor, at) => {
    if (at > lastAt[visitor]!) lastAt[visitor] = at
  })
  const isBehind = (at: number, visitor: number) =>
    !after || at < after.at || (at === after.at && visitors.visitorNo(visitor) < after.visitorNo)
  const marked = fill(new Uint8Array(lastAt.length), visitor => {
    const at = lastAt[visitor]!
    return at !== Number.NEGATIVE_INFINITY && isBehind(at, visitor) ? 1 : 0
  })
  return locatePage([{ at: lastAt, marked }], { limit, offset: 0 })
    .places.map(({ row, at }) => ({ visitorNo: visitors.visitorNo(row), at }))
    .sort((a, b) => b.at - a.at || b.visitorNo - a.visitorNo)
    .slice(0, limit)
}

/** Calls back for each conversion that counts, with its visitor and its time. */
function eachConversion(
  view: View,
  question: Question,
  { targets, ...of }: ConvertersAsked,
  converted: (visitor: number, at: number) => void,
): void {
  const goals = new Goals(view, targets, new TextMatcher(view, question))
  const selected = select(view, question)
  const wanted =
    of.dimension === undefined
      ? selected.map(({ counts }) => counts)
      : sessionsOfValue(view, question, selected, of)
  for (const [index, block] of selected.entries()) {
    const { hits, sessions } = block
    goals.forEach(block, question, wanted[index], (_, hit, at) => {
      const visitor = sessions.visitor[hits.session[hit]!]!
      if (visitor >= 0) converted(visitor, at)
    })
  }
}

/** Returns 1 for each session that has the value or, of a dimension of hits, has a hit in the range with it. */
function sessionsOfValue(
  view: View,
  question: Question,
  selected: readonly Selected[],
  { dimension, value, zone }: ValueAsked,
): Uint8Array[] {
  const keys = keysOf(view, dimension, question, zone)
  const key = keys.find(value)
  const isOfHits = dimension === HOUR_OF_WEEK || isHitDimension(dimension)
  const marks = selected.map(block => {
    const { hits, sessions, counts, started, inRange, isService } = block
    const marked = new Uint8Array(sessions.count)
    if (!isOfHits) {
      const keyOf = keys.ofSessions(block)!
      const counted = isOfSessionEnd(dimension) ? started : counts
      for (let session = 0; session < sessions.count; session++) {
        if (counted[session] === 1 && sessions.no[session]! > 0 && keyOf[session] === key) marked[session] = 1
      }
    } else if (!isService) {
      const keyOf = keys.ofHits(block)
      for (let hit = 0; hit < hits.count; hit++) {
        if (inRange[hit] === 1 && keyOf[hit] === key) marked[hits.session[hit]!] = 1
      }
    }
    return marked
  })
  joinCopies(view.blocks, marks)
  return marks
}

import {
  type BreakdownDimension,
  isHitDimension,
  isOfSessionEnd,
} from '../../platform/dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../platform/dimensions/registry.ts'
import type { View } from '../../storage/columns/block.ts'
import type { GoalTarget } from '../goals/goal-target.ts'
import type { Question } from './question.ts'
import { convertedSessions, Goals } from './shared/conversions.ts'
import { Pairs, VisitorSet } from './shared/distinct.ts'
import { keysOf } from './shared/keys.ts'
import { TextMatcher } from './shared/match-texts.ts'
import { select } from './shared/select.ts'
import { joinCopies } from './shared/service-copies.ts'

export interface GoalCounts {
  conversions: number
  visitors: number
  /** Reported by the hits, minor units. */
  revenue: bigint
}

/**
 * Counts the conversions of goals in sessions that pass the filters, in the order of the goals.
 * @param asked.currencies one for each goal; revenue in another currency does not count
 */
export function countGoals(
  view: View,
  question: Question,
  { targets, currencies }: { targets: GoalTarget[]; currencies: string[] },
): GoalCounts[] {
  const goals = new Goals(view, targets, new TextMatcher(view, question))
  const counted = targets.map((): GoalCounts => ({ conversions: 0, visitors: 0, revenue: 0n }))
  const known = view.texts.of('currency')
  const amounts = view.texts.of('amount')
  const wanted = currencies.map(currency => (currency === '' ? undefined : known.find(currency)))
  const pairs = new Pairs()
  for (const selected of select(view, question)) {
    const { hits, sessions, counts } = selected
    goals.forEach(selected, question, counts, (goal, hit) => {
      const of = counted[goal]!
      of.conversions += 1
      pairs.add(goal, sessions.visitor[hits.session[hit]!]!)
      const currency = hits.currency[hit]!
      if (currency !== 0 && currency === wanted[goal]) of.revenue += BigInt(amounts.text(hits.revenue[hit]!))
    })
  }
  const visitors = pairs.countDistinct(targets.length, view.visitors.size)
  for (const [goal, of] of counted.entries()) of.visitors = visitors[goal]!
  return counted
}

/** Counts the distinct visitors with a conversion of one of the targets in sessions that pass the filters. */
export function countConverters(
  view: View,
  question: Question,
  { targets }: { targets: GoalTarget[] },
): number {
  const goals = new Goals(view, targets, new TextMatcher(view, question))
  const visitors = new VisitorSet(view.visitors.size)
  for (const selected of select(view, question)) {
    const { hits, sessions, counts } = selected
    goals.forEach(selected, question, counts, (_, hit) => visitors.add(sessions.visitor[hits.session[hit]!]!))
  }
  return visitors.size
}

/** Counts the conversions of a goal by the path, name or selector that met it, in any order. */
export function countMatched(
  view: View,
  question: Question,
  { target }: { target: GoalTarget },
): { value: string; conversions: number }[] {
  const goals = new Goals(view, [target], new TextMatcher(view, question))
  const texts = view.texts.of(
    target.on === 'path' ? 'path' : target.on === 'name' ? 'event_name' : 'property_value',
  )
  const conversions = new Map<number, number>()
  for (const selected of select(view, question)) {
    goals.forEach(selected, question, selected.counts, (goal, hit) => {
      const matched = goals.matchedOf(selected.hits, hit, goal)
      conversions.set(matched, (conversions.get(matched) ?? 0) + 1)
    })
  }
  return [...conversions].map(([number, count]) => ({ value: texts.text(number), conversions: count }))
}

/**
 * Counts the distinct visitors with a conversion of the target by value: by that of the session that converted, or by each value that a
 * hit of this session has in the range. Values without any are absent.
 */
export function countConvertersByValue(
  view: View,
  question: Question,
  { target, dimension, zone }: { target: GoalTarget; dimension: BreakdownDimension; zone: string },
): [value: string, visitors: number][] {
  const keys = keysOf(view, dimension, question, zone)
  const isOfHits = dimension === HOUR_OF_WEEK || isHitDimension(dimension)
  const converted = convertedSessions(view, [target], question, new TextMatcher(view, question))
  const selected = select(view, question)
  joinCopies(view.blocks, converted)
  const pairs = new Pairs()
  for (const [index, block] of selected.entries()) {
    const { hits, sessions, counts, started, inRange, isService } = block
    if (isOfHits) {
      if (isService) continue
      const keyOf = keys.ofHits(block)
      for (let hit = 0; hit < hits.count; hit++) {
        const session = hits.session[hit]!
        if (inRange[hit] === 1 && converted[index]![session] === 1)
          pairs.add(keyOf[hit]!, sessions.visitor[session]!)
      }
    } else {
      const keyOf = keys.ofSessions(block)!
      const counted = isOfSessionEnd(dimension) ? started : counts
      for (let session = 0; session < sessions.count; session++) {
        if (counted[session] === 1 && converted[index]![session] === 1 && sessions.no[session]! > 0) {
          pairs.add(keyOf[session]!, sessions.visitor[session]!)
        }
      }
    }
  }
  const visitors = pairs.countDistinct(keys.count, view.visitors.size)
  return Array.from(visitors, (count, key): [string, number] => [keys.text(key), count]).filter(
    ([, count]) => count > 0,
  )
}

import { type Fact, isPast, pastId } from '../processor/event.ts'
import type { AnyFact } from '../processor/facts.ts'
import type { Price } from '../processor/objects.ts'
import { isOver } from './movements.ts'
import { courseOf } from './past-course.ts'
import { discountsOf } from './past-discounts.ts'
import { itemsOf } from './past-items.ts'

/** Events of the processor and an answer of its API can differ by this much about the same change. */
const SAME_MS = 60_000

/**
 * Derives the states of a subscription that no event reports from what an import has read: its own times, the lines of its invoices,
 * its prorations. Events win: derived states end before the first event, and what the API says now counts only if no event is newer.
 * @param prices definitions of prices
 * @returns none without an import
 * @see docs/import-money.md
 */
export function pastStates(
  facts: readonly AnyFact[],
  prices: ReadonlyMap<string, Price>,
): Fact<'subscription'>[] {
  const origin = facts.find(fact => fact.kind === 'origin')
  if (!origin) return []
  const live = facts.filter(fact => fact.kind === 'subscription' && !isPast(fact))
  const times = live.map(({ at }) => at.getTime())
  const firstLive = Math.min(...times) - SAME_MS
  const lastLive = Math.max(...times) + SAME_MS
  const states = derivedStates(origin, facts, prices).filter(({ at, body }) =>
    isOver(body.status) ? at.getTime() > lastLive || live.length === 0 : at.getTime() < firstLive,
  )
  const isNow = !isOver(origin.body.state.status) && origin.at.getTime() > lastLive
  if (isNow) states.push(stateAt(origin, origin.at.getTime(), origin.body.state))
  return states
}

function derivedStates(
  origin: Fact<'origin'>,
  facts: readonly AnyFact[],
  prices: ReadonlyMap<string, Price>,
): Fact<'subscription'>[] {
  const { body } = origin
  const now = origin.at.getTime()
  const invoices = facts.filter(fact => fact.kind === 'invoice').flatMap(({ body }) => body)
  const lines = facts.flatMap(fact => (fact.kind === 'proration' ? [fact.body] : []))
  const course = courseOf(body, invoices, now)
  const items = itemsOf(body, invoices, lines, prices, course.startAt)
  const discounts = discountsOf(body, invoices, course.startAt)
  const times = [...course.times, ...items.times, ...discounts.times]
  return [...new Set(times)]
    .filter(at => at >= course.startAt && at <= Math.min(now, course.endAt))
    .sort((a, b) => a - b)
    .map(at =>
      stateAt(origin, at, {
        ...body.state,
        status: course.statusAt(at),
        isEnding: course.isEndingAt(at),
        items: items.at(at),
        isCut: false,
        discounts: discounts.at(at),
      }),
    )
}

const stateAt = (
  origin: Fact<'origin'>,
  at: number,
  body: Fact<'subscription'>['body'],
): Fact<'subscription'> => ({
  ...origin,
  kind: 'subscription',
  eventId: pastId(`${origin.objectId}/${at / 1000}`),
  at: new Date(at),
  body,
})

/** Returns the ids of prices that invoices name and no fact describes. Their items count as 0. */
export function unknownPrices(facts: readonly AnyFact[], prices: ReadonlyMap<string, Price>): string[] {
  const origin = facts.find(fact => fact.kind === 'origin')
  if (!origin) return []
  const ofNow = new Set(origin.body.state.items.map(({ price }) => price?.id))
  return pricesIn(facts).filter(id => !prices.has(id) && !ofNow.has(id))
}

/** Returns the ids of the prices that lines of invoices and prorations name. */
export function pricesIn(facts: readonly AnyFact[]): string[] {
  const lines = facts.flatMap(fact => {
    if (fact.kind === 'proration') return [fact.body]
    return fact.kind === 'invoice' ? (fact.body.past?.lines ?? []) : []
  })
  return [...new Set(lines.map(({ priceId }) => priceId))]
}

import type { AnyFact } from './facts.ts'
import { isCounting } from './ledger.ts'
import type { Fact } from './stripe/event.ts'
import type { CutSnapshot } from './stripe/lookup.ts'
import type { Item } from './stripe/objects.ts'

// Stripe's events hold the first items of a subscription only when it has many. The others are asked for.

const isAnswer = (fact: AnyFact) => fact.kind === 'items'

/**
 * The items of an event that does not hold all of them, with the others from the answer that was given for it, else for
 * the event next before it that has one.
 */
export function completeItems(snapshot: Fact<'subscription'>, facts: readonly AnyFact[]): Item[] {
  const { items, isCut } = snapshot.body
  if (!isCut) return items
  const answers = facts.filter(isAnswer).sort((a, b) => a.at.getTime() - b.at.getTime())
  const answer =
    answers.find(({ body }) => body.of === snapshot.eventId) ??
    answers.findLast(({ at }) => at <= snapshot.at) ??
    answers[0]
  const others = answer?.body.items.filter(({ id }) => !items.some(each => each.id === id)) ?? []
  return [...items, ...others]
}

/** What to ask for after the latest event of a subscription, if it counts and does not hold all items. */
export function unansweredCut(latest: Fact<'subscription'>, facts: readonly AnyFact[]): CutSnapshot[] {
  const { objectId, eventId, at, body } = latest
  if (!body.isCut || !isCounting(body.status)) return []
  if (facts.some(fact => isAnswer(fact) && fact.body.of === eventId)) return []
  return [{ subscriptionId: objectId, eventId, at: at.getTime() }]
}

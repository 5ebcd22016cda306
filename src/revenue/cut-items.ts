import type { AnyFact } from './facts.ts'
import { isCounting } from './ledger.ts'
import type { Fact } from './stripe/event.ts'
import type { CutSnapshot } from './stripe/lookup.ts'
import type { Discount } from './stripe/objects.ts'
import type { Item } from './stripe/subscription.ts'

// When a subscription has many items, Stripe's events contain only the first ones, and often only the ids of discounts.
// A lookup in Stripe's API returns the missing ones.

const isAnswer = (fact: AnyFact) => fact.kind === 'items'

/**
 * Returns all items of a subscription event. Items that a cut event omits come from the lookup for this event, else from the
 * lookup for the closest earlier event, else from the first lookup.
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

/**
 * Returns the lookup that is needed when the latest event of a subscription omits items or discounts. If the subscription
 * counts, the lookup is for that event. If it no longer counts, the lookup is for the last such event when it did, unless the
 * subscription already has the answer of any lookup.
 * @param snapshots events of the subscription, in order
 * @param discounts all known discounts by id
 */
export function unansweredCut(
  snapshots: readonly Fact<'subscription'>[],
  facts: readonly AnyFact[],
  discounts: ReadonlyMap<string, Discount>,
): CutSnapshot[] {
  const leavesOut = ({ body }: Fact<'subscription'>) =>
    body.isCut ||
    [body, ...body.items].some(holder =>
      holder.discounts?.some(listed => typeof listed === 'string' && !discounts.has(listed)),
    )
  const latest = snapshots.at(-1)
  if (!latest || !leavesOut(latest)) return []
  const counted = snapshots.findLast(each => leavesOut(each) && isCounting(each.body.status))
  if (!counted) return []
  const { objectId, eventId, at } = counted
  const isAnswered =
    counted === latest ? facts.some(fact => isAnswer(fact) && fact.body.of === eventId) : facts.some(isAnswer)
  return isAnswered ? [] : [{ subscriptionId: objectId, eventId, at: at.getTime() }]
}

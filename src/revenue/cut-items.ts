import type { AnyFact } from './facts.ts'
import { isCounting } from './ledger.ts'
import type { Fact } from './stripe/event.ts'
import type { CutSnapshot } from './stripe/lookup.ts'
import type { Discount } from './stripe/objects.ts'
import type { Item } from './stripe/subscription.ts'

// Stripe's events hold the first items of a subscription only when it has many, and discounts often by their ids alone.
// What they leave out is asked for.

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

/**
 * What to ask for after the latest event of a subscription, if it leaves out items or discounts: of it when it counts. Of one
 * that counts no more it is the last event when it did, as long as nothing was ever asked for.
 * @param snapshots of the subscription, in their order
 * @param discounts all that are known by their ids
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

import { groupBy } from '../../platform/lib/group-by.ts'
import { differences, partsOfDiscount, partsOfSubscription } from '../processor/before-update.ts'
import type { Fact } from '../processor/event.ts'
import { type AnyFact, byTime, customerIdIn, withoutReported } from '../processor/facts.ts'
import type { Lookup } from '../processor/fetch-objects.ts'
import type { Discount, Listed } from '../processor/objects.ts'
import type { Item } from '../processor/subscription-object.ts'
import { collectDefinitions, couponsWithoutTerms } from './definitions.ts'
import { compareStates, isCounting, type PaidInvoice, type State } from './movements.ts'
import { mrrOf, pricesWithoutTerms } from './mrr.ts'
import { pastStates, unknownPrices } from './past-states.ts'
import { chained } from './same-second.ts'

/** The states of a subscription in order, independent of the order in which facts arrived. */
export interface SubscriptionHistory {
  states: State[]
  /** Paid invoices with an amount above 0. */
  invoices: PaidInvoice[]
  customerId: string | null
  /** Its MRR has tax in it now: see `SubscriptionState.hasUnknownTax`. */
  includesTax: boolean
  /** Data that MRR needs and no fact describes: coupons, prices, and items or discounts that the last event omits. */
  needed: Lookup[]
}

/**
 * Derives the subscription history from facts.
 * @param given facts of the subscription, in any order
 * @param customerDiscounts discount facts of its customer
 * @param described facts of coupons and prices
 */
export function deriveHistory(
  given: readonly AnyFact[],
  customerDiscounts: readonly AnyFact[],
  described: readonly AnyFact[],
): SubscriptionHistory {
  const facts = given.toSorted(byTime)
  const definitions = collectDefinitions([...facts, ...customerDiscounts], described)
  const snapshots = [...facts.filter(isSnapshot), ...pastStates(facts, definitions.prices)]
  const steps = inOrder([...snapshots, ...[...facts, ...customerDiscounts].filter(isDiscount)])
  const states: State[] = []
  const couponIds = new Set<string>()
  const priceIds = new Set<string>()
  let latest: Fact<'subscription'> | undefined
  let items: Item[] = []
  let own: Listed[] = []
  let ofCustomer: Listed[] = []
  for (const step of steps) {
    if (step.kind === 'subscription') {
      latest = step
      items = completeItems(step, facts)
      own = step.body.discounts ?? own
    } else {
      const { discount } = step.body
      if (discount.id !== null) definitions.discounts.set(discount.id, discount)
      const { itemId } = discount
      if (step.subscriptionId === null) ofCustomer = change(ofCustomer, step.body).slice(-1)
      else if (itemId === null) own = change(own, step.body)
      else {
        items = items.map(item =>
          item.id === itemId ? { ...item, discounts: change(item.discounts, step.body) } : item,
        )
      }
    }
    if (!latest) continue
    const { status, currency, isEnding } = latest.body
    const discounts = own.length > 0 ? own : ofCustomer
    const counts = isCounting(status)
    const mrr = counts ? mrrOf(items, discounts, currency, definitions) : 0
    states.push({ at: step.at.getTime(), key: step.eventId, status, currency, mrr, isEnding })
    if (!counts) continue
    for (const id of couponsWithoutTerms(items, discounts, currency, definitions)) couponIds.add(id)
    for (const id of pricesWithoutTerms(items, currency, definitions)) priceIds.add(id)
  }
  return {
    states,
    invoices: invoicesIn(facts),
    customerId: latest?.customerId ?? customerIdIn(facts),
    includesTax: latest?.body.hasUnknownTax === true,
    needed: [
      ...[...couponIds].map((id): Lookup => ({ of: 'coupon', id })),
      ...[...priceIds, ...unknownPrices(facts, definitions.prices)].map(
        (id): Lookup => ({ of: 'price', id }),
      ),
      ...unansweredCut(steps.filter(isSnapshot), facts, definitions.discounts),
    ],
  }
}

const isSnapshot = (fact: AnyFact): fact is Fact<'subscription'> => fact.kind === 'subscription'
const isDiscount = (fact: AnyFact) => fact.kind === 'discount'

type Step = Fact<'subscription'> | Fact<'discount'>

/** Sorts by `compareSteps`, and updates of the same object and second by what each says of the time before it. */
function inOrder(steps: Step[]): Step[] {
  const ordered: Step[] = []
  for (const updates of groupBy(steps.sort(compareSteps), updateKey).values()) {
    const start = updates[0]!.kind === 'subscription' ? ordered.findLast(isSnapshot) : undefined
    ordered.push(...chained(updates, (step, before) => contradiction(step, before ?? start)))
  }
  return ordered
}

/** Key of what is put in order together: all else keeps its place, since no two of it have the same event. */
function updateKey(step: Step): string {
  const { kind, at, eventId, subscriptionId, customerId, body } = step
  if (kind === 'subscription') return `${kind}/${at.getTime()}`
  if (body.change !== 'changed') return eventId
  return [kind, at.getTime(), subscriptionId ?? customerId, body.discount.itemId].join('/')
}

/** How much what a step says of the time before it differs from the step before. */
function contradiction({ body: { before } }: Step, last: Step | undefined): number {
  if (!before) return 0
  if (!last) return 1
  return differences(
    last.kind === 'subscription' ? partsOfSubscription(last.body) : partsOfDiscount(last.body.discount),
    before,
  )
}

/**
 * Sorts by time. Within one second discounts come before snapshots, because a snapshot of that second already lists its
 * discounts. Discounts are first added, then changed, then removed. Only the removal of a discount without an id comes before
 * the additions: there is one such discount at a time, so that an addition of the same second replaces it.
 */
function compareSteps(a: Step, b: Step): number {
  if (a.kind === 'subscription' && b.kind === 'subscription') return compareStates(ordinal(a), ordinal(b))
  return a.at.getTime() - b.at.getTime() || rankOf(a) - rankOf(b) || (a.eventId < b.eventId ? -1 : 1)
}

function rankOf(step: Step): number {
  if (step.kind === 'subscription') return 4
  const { change, discount } = step.body
  if (change === 'removed') return discount.id === null ? 0 : 3
  return change === 'added' ? 1 : 2
}

const ordinal = (fact: Fact<'subscription'>) => ({
  at: fact.at.getTime(),
  key: fact.eventId,
  status: fact.body.status,
})

/**
 * Applies a discount event to a list. An event changes the discount of its id, with one exception: an update with an unknown
 * id replaces the only discount of the list.
 */
function change(listed: readonly Listed[], { change, discount }: Fact<'discount'>['body']): Listed[] {
  const isMeant = (each: Listed) => idOf(each) === discount.id
  if (change === 'removed') return listed.filter(each => !isMeant(each))
  if (listed.some(isMeant)) return listed.map(each => (isMeant(each) ? discount : each))
  return change === 'changed' && listed.length === 1 ? [discount] : [...listed, discount]
}

const idOf = (listed: Listed) => (typeof listed === 'string' ? listed : listed.id)

/** Returns each paid invoice once. Several events can report one payment; the earliest time of payment is used. */
function invoicesIn(facts: readonly AnyFact[]): PaidInvoice[] {
  const invoices = new Map<string, PaidInvoice>()
  for (const fact of withoutReported(facts)) {
    if (fact.kind !== 'invoice' || fact.body.amountMinor <= 0) continue
    const paidAt = fact.body.paidAt ?? fact.at.getTime()
    const known = invoices.get(fact.objectId)
    if (known && known.paidAt <= paidAt) continue
    invoices.set(fact.objectId, { id: fact.objectId, paidAt, reason: fact.body.reason })
  }
  return [...invoices.values()]
}

// When a subscription has many items, Stripe's events contain only the first ones, and often only the ids of discounts.
// A lookup in Stripe's API returns the missing ones.

const isAnswer = (fact: AnyFact) => fact.kind === 'items'

/**
 * Returns all items of a subscription event. Items that a cut event omits come from the lookup for this event, else from the
 * lookup for the closest earlier event, else from the first lookup.
 */
function completeItems(snapshot: Fact<'subscription'>, facts: readonly AnyFact[]): Item[] {
  const { items, isCut } = snapshot.body
  if (!isCut) return items
  const answers = facts.filter(isAnswer)
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
function unansweredCut(
  snapshots: readonly Fact<'subscription'>[],
  facts: readonly AnyFact[],
  discounts: ReadonlyMap<string, Discount>,
): Lookup[] {
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
  return isAnswered ? [] : [{ of: 'items', id: objectId, eventId, eventAt: at.getTime() }]
}

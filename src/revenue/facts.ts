import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import type { Fact, FactKind } from './stripe/event.ts'

/** A fact of any kind, with the body type of its kind. */
export type AnyFact = { [Kind in FactKind]: Fact<Kind> }[FactKind]

const insertEvent = statement<{ eventId: string }>('insert-webhook-event')
const insertFact = statement('insert-processor-fact')
const selectSubscriptionFacts = statement<AnyFact>('select-subscription-facts')
const selectCustomerDiscounts = statement<AnyFact>('select-customer-discounts')
const selectDefinitions = statement<AnyFact>('select-definitions')
const selectSaleFacts = statement<AnyFact>('select-sale-facts')
const findVisitor = statement<NamedVisitor>('find-named-visitor')

interface NamedVisitor {
  visitorId: string | null
  isFirstOfSubscription: boolean
  isFirstOfCustomer: boolean
}

/**
 * Stores the id of an event. Waits for another transaction that stores the same id.
 * @param type the processor's event type
 * @returns false when the event was stored before
 */
export async function noteEvent(tx: Transaction, siteNo: number, type: string, fact: Fact): Promise<boolean> {
  const rows = await insertEvent(tx, siteNo, fact.eventId, type, fact.at)
  return rows.length > 0
}

/** Stores the fact of an event. */
export async function keepFact(tx: Transaction, siteNo: number, fact: Fact): Promise<void> {
  await insertFact(
    tx,
    siteNo,
    fact.eventId,
    fact.kind,
    fact.at,
    fact.objectId,
    fact.subscriptionId,
    fact.customerId,
    fact.saleIds,
    fact.visitorId,
    JSON.stringify(fact.body),
  )
}

/** Returns all facts of a subscription itself. */
export const loadSubscriptionFacts = (db: Queryable, siteNo: number, subscriptionId: string) =>
  selectSubscriptionFacts(db, siteNo, subscriptionId)

/** Returns the facts of discounts that apply to all subscriptions of a customer. */
export const loadCustomerDiscounts = (db: Queryable, siteNo: number, customerId: string) =>
  selectCustomerDiscounts(db, siteNo, customerId)

/** Returns the facts that describe the coupons and prices with these ids. */
export async function loadDefinitions(db: Queryable, siteNo: number, ids: string[]): Promise<AnyFact[]> {
  return ids.length === 0 ? [] : selectDefinitions(db, siteNo, ids)
}

/** All ids and facts of a sale. */
export interface Sale {
  ids: string[]
  facts: AnyFact[]
  /** Further linked ids exist that were not read. */
  isCut: boolean
}

/** An invoice with a hundred payments, each an intent and a charge, has 201 ids. */
const MOST_IDS = 250
/** An invoice, its intent and its charge take two steps; each further invoice that shares an intent takes two more. */
const MOST_STEPS = 16

/**
 * Returns all facts of a sale. It follows the ids that events link: an invoice and its payment intent, the payment intent and
 * its charge. Ids more than 16 steps away, or beyond 250 ids, are left out.
 * @param ids one or more ids of the sale
 */
export async function loadSale(db: Queryable, siteNo: number, ids: readonly string[]): Promise<Sale> {
  const known = new Set<string>()
  const facts = new Map<string, AnyFact>()
  let next = [...new Set(ids)]
  let isCut = false
  for (let step = 0; next.length > 0 && step < MOST_STEPS; step++) {
    for (const id of next) known.add(id)
    const found = await selectSaleFacts(db, siteNo, next)
    for (const fact of found) facts.set(`${fact.eventId}/${fact.kind}/${fact.objectId}`, fact)
    const linked = new Set(found.flatMap(({ saleIds }) => saleIds).filter(id => !known.has(id)))
    const room = Math.max(0, MOST_IDS - known.size)
    isCut ||= linked.size > room
    next = [...linked].sort().slice(0, room)
  }
  isCut ||= next.length > 0
  const isPart = ({ kind, objectId }: AnyFact) => kind !== 'invoice' || known.has(objectId)
  return { ids: [...known].sort(), facts: [...facts.values()].filter(isPart), isCut }
}

/**
 * Returns the visitor that a shop named first for a subscription, else for the customer.
 * @param of `eventId`: event to test; the two flags of the result say whether it was the first to name a visitor
 */
export async function findNamedVisitor(
  db: Queryable,
  siteNo: number,
  of: { subscriptionId: string | null; customerId: string | null; eventId?: string },
): Promise<NamedVisitor> {
  const [found] = await findVisitor(db, siteNo, of.subscriptionId, of.customerId, of.eventId ?? null)
  return found!
}

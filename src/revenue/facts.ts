import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import type { Fact, FactKind } from './stripe/event.ts'

/** Any fact, its body typed by its kind. */
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
 * @param type the processor's name for what happened
 * @returns false when the event was taken before; waits for whoever takes it at this moment
 */
export async function noteEvent(tx: Transaction, siteNo: number, type: string, fact: Fact): Promise<boolean> {
  const rows = await insertEvent(tx, siteNo, fact.eventId, type, fact.at)
  return rows.length > 0
}

/** Keeps what an event said. */
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

/** Everything that was said of a subscription itself. */
export const loadSubscriptionFacts = (db: Queryable, siteNo: number, subscriptionId: string) =>
  selectSubscriptionFacts(db, siteNo, subscriptionId)

/** The discounts that a customer has for everything. */
export const loadCustomerDiscounts = (db: Queryable, siteNo: number, customerId: string) =>
  selectCustomerDiscounts(db, siteNo, customerId)

/** What is known of coupons and prices by their ids. */
export async function loadDefinitions(db: Queryable, siteNo: number, ids: string[]): Promise<AnyFact[]> {
  return ids.length === 0 ? [] : selectDefinitions(db, siteNo, ids)
}

/** What was said of a sale, and under which ids. */
export interface Sale {
  ids: string[]
  facts: AnyFact[]
  /** More is linked than one sale has. */
  isCut: boolean
}

/** An invoice of a hundred payments, each an intent with its charge, has 201. */
const MOST_IDS = 250
/** An invoice, its intent and its charge are two steps; each further invoice that shares an intent is two more. */
const MOST_STEPS = 16

/**
 * Everything that was said of a sale, through ids that events said belong together: an invoice and its payment intent,
 * the payment intent and its charge. What is more than 16 steps away, or beyond 250 ids, is left out.
 * @param ids one or more of them
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

/** Whom a shop named first for a subscription, else for the customer; `eventId` asks whether that event did it. */
export async function findNamedVisitor(
  db: Queryable,
  siteNo: number,
  of: { subscriptionId: string | null; customerId: string | null; eventId?: string },
): Promise<NamedVisitor> {
  const [found] = await findVisitor(db, siteNo, of.subscriptionId, of.customerId, of.eventId ?? null)
  return found!
}

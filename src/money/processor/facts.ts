import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { type Fact, type FactKind, isOfFile, isPast } from './event.ts'

/** A fact of any kind, with the body type of its kind. */
export type AnyFact = { [Kind in FactKind]: Fact<Kind> }[FactKind]

/** Columns of `processor_facts` in the form of `Fact`. */
export const FACT_COLUMNS = `
  event_id as "eventId", kind, at, object_id as "objectId", subscription_id as "subscriptionId",
  customer_id as "customerId", sale_ids as "saleIds", visitor_id as "visitorId", body`

/** Stores the id of an event; no row when it was stored before. Waits for another transaction that stores the same id. */
export const insertEvent = query<
  { siteNo: number; eventId: string; type: string; at: Date },
  { eventId: string }
>(
  'insert-webhook-event',
  `insert into webhook_events (site_no, event_id, type, created_at)
  values (:siteNo, :eventId, :type, :at)
  on conflict (site_no, event_id) do nothing
  returning event_id as "eventId"`,
)

/** The body is sent as text, since the driver would encode jsonb twice. */
const upsertFactRow = query<Omit<Fact, 'body'> & { siteNo: number; body: string }>(
  'upsert-processor-fact',
  `insert into processor_facts (
    site_no, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, body
  )
  values (
    :siteNo, :eventId, :kind, :at, :objectId, :subscriptionId, :customerId, :saleIds, :visitorId, :body::text::jsonb
  )
  on conflict (site_no, event_id, kind, object_id) do update set body = excluded.body`,
)

/** Returns all facts of a subscription itself. */
export const loadSubscriptionFacts = query<{ siteNo: number; subscriptionId: string }, AnyFact>(
  'select-subscription-facts',
  `select ${FACT_COLUMNS} from processor_facts where site_no = :siteNo and subscription_id = :subscriptionId`,
)

/** Returns the facts of discounts that apply to all subscriptions of a customer. */
export const loadCustomerDiscounts = query<{ siteNo: number; customerId: string }, AnyFact>(
  'select-customer-discounts',
  `select ${FACT_COLUMNS}
  from processor_facts
  where site_no = :siteNo and customer_id = :customerId and kind = 'discount' and subscription_id is null`,
)

/** Returns all facts that have one of the ids. */
export const loadSaleFacts = query<{ siteNo: number; ids: string[] }, AnyFact>(
  'select-sale-facts',
  `select ${FACT_COLUMNS} from processor_facts where site_no = :siteNo and sale_ids && :ids::text[]`,
)

/**
 * The same for many sales: a fact of several ids is returned for each. Each id is looked up by index: with the site beside it, the
 * planner may compare all facts of the site with each id.
 */
export const loadFactsOfSales = query<{ siteNo: number; ids: string[] }, AnyFact>(
  'select-facts-of-sales',
  `select ${FACT_COLUMNS}
  from unnest(:ids::text[]) as id
  cross join lateral (
    select * from processor_facts where sale_ids @> array[id] offset 0
  ) as fact
  where fact.site_no = :siteNo`,
)

const selectDefinitions = query<{ siteNo: number; ids: string[] }, AnyFact>(
  'select-definitions',
  `select ${FACT_COLUMNS}
  from processor_facts
  where site_no = :siteNo and kind in ('coupon', 'price') and object_id = any(:ids::text[])
  order by at, event_id`,
)

interface NamedVisitor {
  visitorId: string | null
  isFirstOfSubscription: boolean
  isFirstOfCustomer: boolean
}

const selectNamedVisitor = query<
  { siteNo: number; subscriptionId: string | null; customerId: string | null; eventId: string | null },
  NamedVisitor
>('find-named-visitor')

/** Stores a fact. */
export async function upsertFact(tx: Transaction, siteNo: number, fact: Fact): Promise<void> {
  await upsertFactRow(tx, { ...fact, siteNo, body: JSON.stringify(fact.body) })
}

/** Returns the facts that describe the coupons and prices with these ids. */
export async function loadDefinitions(db: Queryable, siteNo: number, ids: string[]): Promise<AnyFact[]> {
  return ids.length === 0 ? [] : selectDefinitions(db, { siteNo, ids })
}

/**
 * Returns the visitor that the facts of a shop name first for a subscription, else for its customer.
 * @param of.eventId the two flags of the result say whether this event was the first to name a visitor
 */
export async function findNamedVisitor(
  db: Queryable,
  siteNo: number,
  of: { subscriptionId: string | null; customerId: string | null; eventId?: string },
): Promise<NamedVisitor> {
  const [found] = await selectNamedVisitor(db, { eventId: null, ...of, siteNo })
  return found!
}

const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Sorts facts by time, then by what identifies them: no two are equal. */
export const byTime = (a: AnyFact, b: AnyFact) =>
  a.at.getTime() - b.at.getTime() ||
  inOrder(a.eventId, b.eventId) ||
  inOrder(a.kind, b.kind) ||
  inOrder(a.objectId, b.objectId)

/** Returns the customer that the earliest of the facts names. */
export const customerIdIn = (facts: readonly AnyFact[]): string | null =>
  [...facts].sort(byTime).find(({ customerId }) => customerId !== null)?.customerId ?? null

/** An event says what was paid when it was paid. What the processor says later comes next, then what a file says. */
const trustIn = (fact: AnyFact) => (isOfFile(fact) ? 0 : isPast(fact) ? 1 : 2)

/** Kinds of facts that may say that something was paid. */
const SALE_KINDS = ['invoice', 'checkout', 'intent'] as const
export type SaleKind = (typeof SALE_KINDS)[number]
export type SaleFact = Fact<SaleKind>

/** The kinds as a list of SQL. */
export const SALE_KINDS_IN_SQL = SALE_KINDS.map(kind => `'${kind}'`).join(', ')

export const isOfSale = (fact: AnyFact): fact is Extract<AnyFact, { kind: SaleKind }> =>
  (SALE_KINDS as readonly string[]).includes(fact.kind)

/** Whether a fact says that something was paid. */
export const isPaidSale = (fact: AnyFact): boolean => isOfSale(fact) && (fact.body?.amountMinor ?? 0) > 0

/** Leaves out facts of paid sales that a better source reports, too. */
export function withoutReported(facts: readonly AnyFact[]): AnyFact[] {
  const best = new Map<string, number>()
  for (const fact of facts.filter(isPaidSale)) {
    best.set(fact.objectId, Math.max(best.get(fact.objectId) ?? 0, trustIn(fact)))
  }
  return facts.filter(fact => !isPaidSale(fact) || trustIn(fact) === best.get(fact.objectId))
}

import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Fact } from '../processor/event.ts'
import { type AnyFact, isPaidSale, SALE_KINDS_IN_SQL } from '../processor/facts.ts'

/** A fact as it was stored before. */
export interface KnownFact extends Omit<Fact, 'at' | 'body'> {
  /** Of a charge. */
  refundedMinor: number | null
  /** Of who paid. */
  email: string | null
}

/** What was read, in comparison with what was stored before. */
export interface Comparison {
  changed: readonly { fact: AnyFact; before: KnownFact | undefined }[]
  unchanged: readonly AnyFact[]
}

// A work that could not be derived is tried again when something of it is read again.

export const insertWork = query<{ siteNo: number; kinds: string[]; ids: string[] }>(
  'insert-import-work',
  `insert into revenue_import_work as known (site_no, kind, id)
  select :siteNo::int, kind, id
  from unnest(:kinds::text[], :ids::text[]) as given (kind, id)
  on conflict (site_no, kind, id) do update set failure = null where known.failure is not null`,
)

/** Subscriptions that have one of these coupons or prices, directly or through their customer. */
const insertWorkOfDefinitions = query<{ siteNo: number; objectIds: string[] }>(
  'insert-import-work-of-definitions',
  `insert into revenue_import_work as known (site_no, kind, id)
  select site_no, 'subscription', holder_id
  from price_dependents
  where site_no = :siteNo and object_id = any(:objectIds::text[]) and not is_customer
  union
  select facts.site_no, 'subscription', facts.subscription_id
  from price_dependents as dependents
  join processor_facts as facts on facts.site_no = :siteNo and facts.customer_id = dependents.holder_id
  where
    dependents.site_no = :siteNo
    and dependents.object_id = any(:objectIds::text[])
    and dependents.is_customer
    and facts.subscription_id is not null
  on conflict (site_no, kind, id) do update set failure = null where known.failure is not null`,
)

/** Subscriptions and sales of customers whose visitor or discount is read. */
const insertWorkOfCustomers = query<{ siteNo: number; customerIds: string[] }>(
  'insert-import-work-of-customers',
  `insert into revenue_import_work as known (site_no, kind, id)
  select distinct
    site_no, case when subscription_id is null then 'sale' else 'subscription' end,
    coalesce(subscription_id, object_id)
  from processor_facts
  where
    site_no = :siteNo
    and customer_id = any(:customerIds::text[])
    and (subscription_id is not null or kind in (${SALE_KINDS_IN_SQL}))
  on conflict (site_no, kind, id) do update set failure = null where known.failure is not null`,
)

/** Returns the sales that have no payment, such as those that were purged. Each is looked up by index: see `preferIndexes`. */
const selectUnrecorded = query<{ siteNo: number; ids: string[] }, { id: string }>(
  'select-unrecorded-sales',
  `select sale.id
  from unnest(:ids::text[]) as sale (id)
  left join lateral (
    select true as is_recorded
    from (
      select from payments where site_no = :siteNo::int and transaction_id = sale.id
      union all
      select from payment_aliases where site_no = :siteNo::int and transaction_id = sale.id
    ) as recorded
    limit 1
  ) as found on true
  where found.is_recorded is null`,
)

/** Notes the subscriptions and sales that have to be derived again. */
export async function noteWork(
  tx: Transaction,
  siteNo: number,
  { changed, unchanged }: Comparison,
): Promise<void> {
  const work = new Map<string, { kind: string; id: string }>()
  const add = (kind: string, id: string) => work.set(`${kind}/${id}`, { kind, id })
  const definitions: string[] = []
  const customers: string[] = []
  for (const { fact, before } of changed) {
    const { kind, objectId, subscriptionId } = fact
    if (kind === 'coupon' || kind === 'price') definitions.push(objectId)
    // A row of a file may have been corrected: what it was about changes, too.
    for (const id of [subscriptionId, before?.subscriptionId]) if (id) add('subscription', id)
    if (subscriptionId === null && (isPaid(fact) || before?.refundedMinor)) {
      for (const id of [saleOf(fact), before && saleOf(before)]) if (id) add('sale', id)
    }
    customers.push(...customersOf(fact, before))
  }
  const paid = unchanged.filter(isPaidSale).map(({ objectId }) => objectId)
  if (paid.length > 0) for (const { id } of await selectUnrecorded(tx, { siteNo, ids: paid })) add('sale', id)
  const rows = [...work.values()]
  if (rows.length > 0) {
    await insertWork(tx, { siteNo, kinds: rows.map(({ kind }) => kind), ids: rows.map(({ id }) => id) })
  }
  if (definitions.length > 0) await insertWorkOfDefinitions(tx, { siteNo, objectIds: definitions })
  if (customers.length > 0) await insertWorkOfCustomers(tx, { siteNo, customerIds: customers })
}

const saleOf = ({ saleIds, objectId }: Pick<Fact, 'saleIds' | 'objectId'>) => saleIds[0] ?? objectId

/** Customers whose other subscriptions and sales depend on the fact. */
function customersOf({ kind, customerId, subscriptionId, visitorId }: AnyFact, before?: KnownFact): string[] {
  const isDiscount = kind === 'discount' && subscriptionId === null
  const isNaming = (visitorId ?? before?.visitorId ?? null) !== null
  if (!isDiscount && !isNaming) return []
  return [customerId, before?.customerId].flatMap(id => id ?? [])
}

/** Whether a fact makes a payment, or changes what is left of one. */
const isPaid = (fact: AnyFact): boolean =>
  isPaidSale(fact) || fact.kind === 'refund' || (fact.kind === 'charge' && fact.body.refundedMinor > 0)

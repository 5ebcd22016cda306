import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { Fact } from '../processor/event.ts'
import type { AnyFact } from '../processor/facts.ts'
import { namedIn } from '../subscriptions/definitions.ts'

/** A fact that an event reports has the event's type: a later delivery of the event changes nothing then. */
export interface ReadFact extends Fact {
  eventType?: string
}

interface Stored {
  kind: string
  objectId: string
  subscriptionId: string | null
  customerId: string | null
  visitorId: string | null
}

/** @returns the ids of events that were not known */
const insertEvents = query<{ siteNo: number; rows: string }, { eventId: string }>(
  'insert-read-events',
  `insert into webhook_events (site_no, event_id, type, created_at)
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given ("eventId" text, "eventType" text, at timestamptz)
  on conflict (site_no, event_id) do nothing
  returning event_id as "eventId"`,
)

const upsertFacts = query<{ siteNo: number; rows: string }, Stored>('upsert-read-facts')

const insertDependents = query<{ siteNo: number; rows: string }>(
  'insert-dependents-of-facts',
  `insert into price_dependents (site_no, object_id, holder_id, is_customer)
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given ("objectId" text, "holderId" text, "isCustomer" boolean)
  on conflict do nothing`,
)

const insertWork = query<{ siteNo: number; kinds: string[]; ids: string[] }>(
  'insert-import-work',
  `insert into revenue_import_work (site_no, kind, id)
  select :siteNo::int, kind, id
  from unnest(:kinds::text[], :ids::text[]) as given (kind, id)
  on conflict do nothing`,
)

/** Subscriptions that have one of these coupons or prices, directly or through their customer. */
const insertWorkOfDefinitions = query<{ siteNo: number; objectIds: string[] }>(
  'insert-import-work-of-definitions',
  `insert into revenue_import_work (site_no, kind, id)
  select :siteNo::int, 'subscription', holder_id
  from price_dependents
  where site_no = :siteNo and object_id = any(:objectIds::text[]) and not is_customer
  union
  select :siteNo::int, 'subscription', facts.subscription_id
  from price_dependents as dependents
  join processor_facts as facts on facts.site_no = :siteNo and facts.customer_id = dependents.holder_id
  where
    dependents.site_no = :siteNo
    and dependents.object_id = any(:objectIds::text[])
    and dependents.is_customer
    and facts.subscription_id is not null
  on conflict do nothing`,
)

/** Subscriptions and sales of customers whose visitor or discount is read. */
const insertWorkOfCustomers = query<{ siteNo: number; customerIds: string[] }>(
  'insert-import-work-of-customers',
  `insert into revenue_import_work (site_no, kind, id)
  select distinct
    :siteNo::int, case when subscription_id is null then 'sale' else 'subscription' end,
    coalesce(subscription_id, object_id)
  from processor_facts
  where
    site_no = :siteNo
    and customer_id = any(:customerIds::text[])
    and (subscription_id is not null or kind in ('invoice', 'checkout'))
  on conflict do nothing`,
)

/**
 * Stores many facts, and notes which subscriptions and sales have to be derived again. A fact that is known, or whose event was
 * delivered, changes nothing.
 */
export async function storeFacts(tx: Transaction, siteNo: number, facts: readonly ReadFact[]): Promise<void> {
  const wanted = await withoutDelivered(tx, siteNo, facts)
  if (wanted.length === 0) return
  // One statement cannot write a row twice.
  const byKey = new Map(wanted.map(fact => [`${fact.eventId}/${fact.kind}/${fact.objectId}`, fact]))
  const rows = [...byKey.values()].map(({ eventType: _, ...fact }) => fact)
  const changed = await upsertFacts(tx, { siteNo, rows: JSON.stringify(rows) })
  if (changed.length === 0) return
  await noteDependents(tx, siteNo, rows as AnyFact[])
  await noteWork(
    tx,
    siteNo,
    changed,
    new Map(rows.map(fact => [`${fact.kind}/${fact.objectId}`, fact as AnyFact])),
  )
}

async function withoutDelivered(tx: Transaction, siteNo: number, facts: readonly ReadFact[]) {
  const events = facts.flatMap(({ eventId, eventType, at }) =>
    eventType ? [{ eventId, eventType, at }] : [],
  )
  if (events.length === 0) return facts
  const rows = await insertEvents(tx, { siteNo, rows: JSON.stringify(events) })
  const added = new Set(rows.map(({ eventId }) => eventId))
  return facts.filter(({ eventId, eventType }) => !eventType || added.has(eventId))
}

async function noteDependents(tx: Transaction, siteNo: number, facts: readonly AnyFact[]): Promise<void> {
  const rows = new Map<string, object>()
  for (const fact of facts) {
    const holderId = fact.subscriptionId ?? fact.customerId
    if (holderId === null) continue
    const isCustomer = fact.subscriptionId === null
    for (const objectId of namedIn([fact])) {
      rows.set(`${objectId}/${holderId}`, { objectId, holderId, isCustomer })
    }
  }
  if (rows.size > 0) await insertDependents(tx, { siteNo, rows: JSON.stringify([...rows.values()]) })
}

async function noteWork(
  tx: Transaction,
  siteNo: number,
  changed: readonly Stored[],
  facts: ReadonlyMap<string, AnyFact>,
): Promise<void> {
  const work = new Map<string, { kind: string; id: string }>()
  const definitions: string[] = []
  const customers: string[] = []
  for (const { kind, objectId, subscriptionId, customerId, visitorId } of changed) {
    const add = (of: string, id: string) => work.set(`${of}/${id}`, { kind: of, id })
    if (kind === 'coupon' || kind === 'price') definitions.push(objectId)
    else if (subscriptionId !== null) add('subscription', subscriptionId)
    else {
      const fact = facts.get(`${kind}/${objectId}`)
      if (isPaid(fact)) add('sale', fact!.saleIds[0] ?? objectId)
    }
    if (customerId !== null && subscriptionId === null && (visitorId !== null || kind === 'discount')) {
      customers.push(customerId)
    }
  }
  const rows = [...work.values()]
  if (rows.length > 0) {
    await insertWork(tx, { siteNo, kinds: rows.map(({ kind }) => kind), ids: rows.map(({ id }) => id) })
  }
  if (definitions.length > 0) await insertWorkOfDefinitions(tx, { siteNo, objectIds: definitions })
  if (customers.length > 0) await insertWorkOfCustomers(tx, { siteNo, customerIds: customers })
}

/** Whether a fact makes a payment, or changes what is left of one. */
function isPaid(fact: AnyFact | undefined): boolean {
  switch (fact?.kind) {
    case 'invoice':
    case 'checkout':
      return (fact.body?.amountMinor ?? 0) > 0
    case 'refund':
      return true
    case 'charge':
      return fact.body.refundedMinor > 0
    default:
      return false
  }
}

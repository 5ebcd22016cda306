import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { withoutErased } from '../erased-payers.ts'
import type { Fact } from '../processor/event.ts'
import type { AnyFact } from '../processor/facts.ts'
import { namedIn } from '../subscriptions/definitions.ts'
import { type KnownFact, noteWork } from './note-work.ts'
import { preferIndexes } from './prefer-indexes.ts'

type FactKey = Pick<Fact, 'eventId' | 'kind' | 'objectId'>

/** A fact that an event reports has the event's type: a later delivery of the event changes nothing then. */
export interface ReadFact extends Fact {
  eventType?: string
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

const upsertFacts = query<{ siteNo: number; rows: string }, FactKey>('upsert-read-facts')

/** What is stored of these facts. Each is looked up by its key: see `preferIndexes`. */
const selectKnown = query<
  { siteNo: number; eventIds: string[]; kinds: string[]; objectIds: string[] },
  KnownFact
>(
  'select-known-facts',
  `select
    event_id as "eventId", kind, object_id as "objectId", subscription_id as "subscriptionId",
    customer_id as "customerId", sale_ids as "saleIds", visitor_id as "visitorId",
    (body ->> 'refundedMinor')::bigint as "refundedMinor", body ->> 'email' as email
  from unnest(:eventIds::text[], :kinds::text[], :objectIds::text[]) as given (given_event, given_kind, given_object)
  cross join lateral (
    select *
    from processor_facts
    where site_no = :siteNo::int and event_id = given_event and kind = given_kind and object_id = given_object
    offset 0
  ) as fact`,
)

const insertDependents = query<{ siteNo: number; rows: string }>(
  'insert-dependents-of-facts',
  `insert into price_dependents (site_no, object_id, holder_id, is_customer)
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given ("objectId" text, "holderId" text, "isCustomer" boolean)
  on conflict do nothing`,
)

/**
 * Stores many facts, and notes which subscriptions and sales have to be derived again. A fact that is known changes nothing unless its
 * payment is gone; one whose event was delivered changes nothing.
 */
export async function storeFacts(tx: Transaction, siteNo: number, facts: readonly ReadFact[]): Promise<void> {
  const wanted = await withoutDelivered(tx, siteNo, facts)
  if (wanted.length === 0) return
  await preferIndexes(tx)
  // One statement cannot write a row twice.
  const byKey = new Map(wanted.map(fact => [keyOf(fact), fact]))
  const given = [...byKey.values()].map(({ eventType: _, ...fact }) => fact as AnyFact)
  const known = await selectKnown(tx, {
    siteNo,
    eventIds: given.map(({ eventId }) => eventId),
    kinds: given.map(({ kind }) => kind),
    objectIds: given.map(({ objectId }) => objectId),
  })
  const before = new Map(known.map(fact => [keyOf(fact), fact]))
  const rows = await withoutErased(tx, siteNo, given, fact => before.get(keyOf(fact))?.email)
  const changed = await upsertFacts(tx, { siteNo, rows: JSON.stringify(rows) })
  if (changed.length > 0) await noteDependents(tx, siteNo, rows)
  const isChanged = new Set(changed.map(keyOf))
  await noteWork(tx, siteNo, {
    changed: rows
      .filter(fact => isChanged.has(keyOf(fact)))
      .map(fact => ({ fact, before: before.get(keyOf(fact)) })),
    unchanged: rows.filter(fact => !isChanged.has(keyOf(fact))),
  })
}

const keyOf = ({ eventId, kind, objectId }: FactKey) => `${eventId}/${kind}/${objectId}`

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

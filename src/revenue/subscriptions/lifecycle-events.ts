import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { deleteServiceEvents, type ServiceEvent, writeServiceEvents } from '../ledger/service-events.ts'
import type { LifecycleEvent } from './movements.ts'

export interface SubscriptionKey {
  siteNo: number
  subscriptionId: string
}

/** A subscription and the visitor that it is attributed to. */
export interface Subscription extends SubscriptionKey {
  visitorId: string | null
}

interface LifecycleEventRow extends Omit<LifecycleEvent, 'at'> {
  at: Date
  visitorId: string | null
}

const selectLifecycleEvents = query<SubscriptionKey, LifecycleEventRow>(
  'select-lifecycle-events',
  `select name, key, at, visitor_id as "visitorId"
  from lifecycle_events
  where site_no = :siteNo and subscription_id = :subscriptionId`,
)

const insertLifecycleEvents = query<Subscription & { names: string[]; keys: string[]; times: string[] }>(
  'insert-lifecycle-events',
  `insert into lifecycle_events (site_no, subscription_id, name, key, at, visitor_id)
  select :siteNo::int, :subscriptionId::text, name, key, at, :visitorId::uuid
  from unnest(:names::text[], :keys::text[], :times::timestamptz[]) as derived (name, key, at)`,
)

const deleteLifecycleEvents = query<SubscriptionKey & { names: string[]; keys: string[] }>(
  'delete-lifecycle-events',
  `delete from lifecycle_events
  using unnest(:names::text[], :keys::text[]) as wrong (name, key)
  where
    lifecycle_events.site_no = :siteNo
    and lifecycle_events.subscription_id = :subscriptionId
    and lifecycle_events.name = wrong.name
    and lifecycle_events.key = wrong.key`,
)

/**
 * Writes the missing lifecycle events of a subscription, and deletes those that are wrong by now.
 * @returns the events that were written or deleted
 */
export async function replaceLifecycleEvents(
  tx: Transaction,
  subscription: Subscription,
  wanted: LifecycleEvent[],
): Promise<LifecycleEvent[]> {
  const { siteNo, subscriptionId, visitorId } = subscription
  const rows = await selectLifecycleEvents(tx, { siteNo, subscriptionId })
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  const identity = ({ name, key, at }: LifecycleEvent, of: string | null) => `${name}/${key}/${at}/${of}`
  const wantedNow = new Set(wanted.map(each => identity(each, visitorId)))
  const there = new Set(recorded.map(each => identity(each, each.visitorId)))
  const wrong = recorded.filter(each => !wantedNow.has(identity(each, each.visitorId)))
  const missing = wanted.filter(each => !there.has(identity(each, visitorId)))
  if (wrong.length > 0) {
    const events = wrong.map(each => eventOf(subscriptionId, each, each.visitorId))
    await deleteServiceEvents(tx, { siteNo }, events)
    await deleteLifecycleEvents(tx, { siteNo, subscriptionId, ...columnsOf(wrong) })
  }
  if (missing.length > 0) {
    const events = missing.map(each => eventOf(subscriptionId, each, visitorId))
    await writeServiceEvents(tx, { siteNo }, events)
    await insertLifecycleEvents(tx, { ...subscription, ...columnsOf(missing) })
  }
  return [...wrong, ...missing]
}

const eventOf = (
  subscriptionId: string,
  { name, key, at }: LifecycleEvent,
  visitorId: string | null,
): ServiceEvent => ({ name, at: new Date(at), key: `${subscriptionId}/${key}`, visitorId })

const columnsOf = (events: LifecycleEvent[]) => ({
  names: events.map(({ name }) => name),
  keys: events.map(({ key }) => key),
  // The driver cannot send an array of Dates.
  times: events.map(({ at }) => new Date(at).toISOString()),
})

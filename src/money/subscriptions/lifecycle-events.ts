import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { deleteServiceEvents, type ServiceEvent, writeServiceEvents } from '../ledger/service-events.ts'
import { announceLifecycle } from './announce-lifecycle.ts'
import type { LifecycleEvent, State } from './movements.ts'

export interface SubscriptionKey {
  siteNo: number
  subscriptionId: string
}

/** A subscription and the visitor that it is attributed to. */
export interface Subscription extends SubscriptionKey {
  visitorId: string | null
}

export interface LifecycleEventRow extends LifecycleEvent {
  visitorId: string | null
}

const selectLifecycleEvents = query<SubscriptionKey, LifecycleEventRow>(
  'select-lifecycle-events',
  `select name, key, (extract(epoch from at) * 1000)::bigint as at, visitor_id as "visitorId"
  from lifecycle_events
  where site_no = :siteNo and subscription_id = :subscriptionId`,
)

const insertLifecycleEvent = query<Subscription & { name: string; key: string; at: Date }>(
  'insert-lifecycle-event',
  `insert into lifecycle_events (site_no, subscription_id, name, key, at, visitor_id)
  values (:siteNo, :subscriptionId, :name, :key, :at, :visitorId)`,
)

const deleteLifecycleEvent = query<SubscriptionKey & { name: string; key: string }>(
  'delete-lifecycle-event',
  `delete from lifecycle_events
  where site_no = :siteNo and subscription_id = :subscriptionId and name = :name and key = :key`,
)

/**
 * Writes the missing lifecycle events of a subscription, and deletes those that are wrong by now.
 * @param states of the subscription, in their order
 * @returns the events that were written or deleted
 */
export async function replaceLifecycleEvents(
  tx: Transaction,
  subscription: Subscription,
  wanted: LifecycleEvent[],
  { customerId, states }: { customerId: string | null | undefined; states: readonly State[] },
): Promise<LifecycleEvent[]> {
  const { siteNo, subscriptionId, visitorId } = subscription
  const recorded = await selectLifecycleEvents(tx, { siteNo, subscriptionId })
  const identity = ({ name, key, at }: LifecycleEvent, of: string | null) => `${name}/${key}/${at}/${of}`
  const wantedNow = new Set(wanted.map(each => identity(each, visitorId)))
  const there = new Set(recorded.map(each => identity(each, each.visitorId)))
  const wrong = recorded.filter(each => !wantedNow.has(identity(each, each.visitorId)))
  const missing = wanted.filter(each => !there.has(identity(each, visitorId)))
  if (wrong.length > 0) {
    const events = wrong.map(each => eventOf(subscriptionId, each, each.visitorId))
    await deleteServiceEvents(tx, { siteNo }, events)
    for (const { name, key } of wrong) await deleteLifecycleEvent(tx, { siteNo, subscriptionId, name, key })
  }
  const events = missing.map(each => eventOf(subscriptionId, each, visitorId))
  await writeServiceEvents(tx, { siteNo }, events)
  for (const { name, key, at } of missing) {
    await insertLifecycleEvent(tx, { ...subscription, name, key, at: new Date(at) })
  }
  for (const each of newsOf(wrong, missing)) {
    const state = states.findLast(({ at }) => at <= each.at)
    await announceLifecycle(tx, { ...subscription, customerId, state }, each)
  }
  return [...wrong, ...missing]
}

/**
 * Returns the written events that are news. One that takes the place of a deleted one of the same name is none: it has another time, or
 * another visitor, or comes from an event of the processor that was delivered later and is earlier.
 */
function newsOf(deleted: readonly LifecycleEvent[], written: readonly LifecycleEvent[]): LifecycleEvent[] {
  const replaced = deleted.map(({ name }) => name)
  return written.filter(({ name }) => {
    const index = replaced.indexOf(name)
    if (index >= 0) replaced.splice(index, 1)
    return index < 0
  })
}

/** Returns the event of the event log. */
export const eventOf = (
  subscriptionId: string,
  { name, key, at }: LifecycleEvent,
  visitorId: string | null,
): ServiceEvent => ({ name, at: new Date(at), key: `${subscriptionId}/${key}`, visitorId })

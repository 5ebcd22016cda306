import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import type { LifecycleName } from './reserved-names.ts'

/** Types of events that money makes. */
export const MONEY_EVENTS = [
  'payment.paid',
  'payment.refunded',
  'trial.started',
  'trial.converted',
  'subscription.started',
  'subscription.renewed',
  'subscription.upgraded',
  'subscription.downgraded',
  'subscription.cancel_scheduled',
  'subscription.reactivated',
  'subscription.ended',
] as const
export type MoneyEvent = (typeof MONEY_EVENTS)[number]

/** What a transaction tells. */
export interface News {
  /** When it became known. */
  at: Date
  /** What happened before it is none, although the transaction records it; without it, whatever is recorded is news. */
  since: Date | undefined
}

/** Transactions whose changes are news. Imports, repairs and erasures are not among them. */
const announcing = new WeakMap<Transaction, News>()

/** Says that what the transaction records is news, so that `announce` tells the endpoints of the site. */
export const announceChanges = (tx: Transaction, at: Date, since?: Date): void =>
  void announcing.set(tx, { at, since })

/** News that the transaction records; undefined when it records none. */
export const newsOf = (tx: Transaction): News | undefined => announcing.get(tx)

const insertAnnouncement = query<{
  siteNo: number
  type: string
  key: string
  at: Date
  now: Date
  data: string
  visitorId: string | null
  customer: string | null
}>(
  'announce',
  `insert into outgoing_events (site_no, type, key, occurred_at, created_at, data, visitor_id, customer)
  select :siteNo::int, :type::text, :key::text, :at::timestamptz, :now::timestamptz, :data::text, :visitorId::uuid,
    :customer::text
  where exists (
    select
    from webhook_endpoints
    where site_no = :siteNo::int and is_enabled and :type::text = any(kinds) and active_since <= :at::timestamptz
  )
  on conflict (site_no, key) do nothing`,
)

/** What the endpoints of a site are told. */
export interface Announcement {
  type: MoneyEvent
  /** The same key is announced once. */
  key: string
  /** When it happened; undefined for the time of the news. */
  at?: Date
  /** How much earlier than `since` of the news it may have happened. */
  graceMs?: number
  data: Record<string, unknown>
  visitorId?: string | null | undefined
  /** Key of `payments.customer`. */
  customer?: string | null | undefined
}

/**
 * Writes an event for the endpoints of the site that want it, in the transaction that records what happened. Does nothing in a
 * transaction that was not given to `announceChanges`, and nothing for a site without such an endpoint.
 */
export async function announce(
  tx: Transaction,
  siteNo: number,
  { type, key, at, graceMs = 0, data, visitorId, customer }: Announcement,
): Promise<void> {
  const news = announcing.get(tx)
  if (!news || isBefore(news, at, graceMs)) return
  const { at: now } = news
  await insertAnnouncement(tx, {
    siteNo,
    type,
    key: `${type}/${key}`,
    at: at ?? now,
    now,
    data: JSON.stringify(data),
    visitorId: visitorId || null,
    customer: customer ?? null,
  })
}

/** The processor tells of a payment, or of what a subscription did, seconds after it happened: `graceMs` of both. */
export const PROCESSOR_GRACE_MS = HOUR_MS

const isBefore = ({ since }: News, at: Date | undefined, graceMs: number): boolean =>
  since !== undefined && at !== undefined && at.getTime() + graceMs < since.getTime()

/** Returns the type of the event for a lifecycle event; undefined for payments, which have events of their own. */
export function eventOfLifecycle(name: LifecycleName): MoneyEvent | undefined {
  const type = name.replace('_', '.')
  return MONEY_EVENTS.find(known => known === type)
}

/** Deletes what endpoints were told of a person, with the log of its deliveries. */
export const deleteAnnouncements = query<{ siteNo: number; visitorIds: string[]; customers: string[] }>(
  'delete-announcements',
  `with events as (
    delete from outgoing_events
    where site_no = :siteNo::int and (visitor_id = any(:visitorIds::uuid[]) or customer = any(:customers::text[]))
    returning id, hit_id
  ),
  hits as (
    delete from outgoing_hits
    where site_no = :siteNo::int and hit_id = any(array(select hit_id from events))
  ),
  deliveries as (
    delete from webhook_deliveries where event_id = any(array(select id from events)) returning id
  )
  delete from webhook_attempts where delivery_id = any(array(select id from deliveries))`,
)

/** Deletes what endpoints were told, or are still to be told, of hits, with the log of its deliveries. */
export const deleteAnnouncementsOfHits = query<{ siteNo: number; hitIds: string[] }>(
  'delete-announcements-of-hits',
  `with hits as (
    delete from outgoing_hits where site_no = :siteNo::int and hit_id = any(:hitIds::uuid[])
  ),
  events as (
    delete from outgoing_events
    where site_no = :siteNo::int and hit_id = any(:hitIds::uuid[]) and hit_id is not null
    returning id
  ),
  deliveries as (
    delete from webhook_deliveries where event_id = any(array(select id from events)) returning id
  )
  delete from webhook_attempts where delivery_id = any(array(select id from deliveries))`,
)

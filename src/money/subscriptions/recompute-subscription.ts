import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import {
  type Attribution,
  attribute,
  attributeMovement,
  awaitVisitor,
  deleteAwaiting,
} from '../../storage/events/attribution.ts'
import {
  customerIdIn,
  findNamedVisitor,
  loadCustomerDiscounts,
  loadDefinitions,
  loadSubscriptionFacts,
} from '../processor/facts.ts'
import type { Lookup } from '../processor/fetch-objects.ts'
import { recordLookups } from '../processor/lookups.ts'
import { namedIn } from './definitions.ts'
import { deriveHistory, type SubscriptionHistory } from './history.ts'
import { replaceLifecycleEvents, type Subscription, type SubscriptionKey } from './lifecycle-events.ts'
import { compensate, type Movement } from './movements.ts'
import { customerKey, planSubscription, RENEWED } from './plan-subscription.ts'

export interface MovementRow extends Omit<Movement, 'at'>, Attribution {
  id: string
  at: Date
}

const selectMovements = query<SubscriptionKey, MovementRow>(
  'select-movements',
  `select
    id, at, kind, currency, amount_minor as "amountMinor", visitor_no as "visitorNo", session_no as "sessionNo",
    session_at as "sessionAt"
  from mrr_movements
  where site_no = :siteNo and subscription_id = :subscriptionId`,
)

const insertMovement = query<MovementRow & SubscriptionKey>(
  'insert-movement',
  `insert into mrr_movements (
    site_no, at, id, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at
  )
  values (
    :siteNo, :at, :id, :subscriptionId, :kind, :currency, :amountMinor, :visitorNo, :sessionNo, :sessionAt
  )`,
)

const findSubscription = query<
  SubscriptionKey,
  { customerId: string | null; state: { visitorId: string | null } }
>(
  'find-subscription',
  `select customer_id as "customerId", state
  from subscriptions
  where site_no = :siteNo and subscription_id = :subscriptionId`,
)

/** The state is sent as text, since the driver would encode jsonb twice. */
const upsertSubscription = query<
  SubscriptionKey & {
    customerId: string | null
    currency: string
    status: string
    mrr: number
    state: string
    startedAt: Date | null
    endedAt: Date | null
  }
>(
  'upsert-subscription',
  `insert into subscriptions (
    site_no, subscription_id, customer_id, currency, status, mrr_minor, state, started_at, ended_at, updated_at
  )
  values (
    :siteNo, :subscriptionId, :customerId, :currency, :status, :mrr, :state::text::jsonb, :startedAt, :endedAt, now()
  )
  on conflict (site_no, subscription_id) do update set
    customer_id = excluded.customer_id,
    currency = excluded.currency,
    status = excluded.status,
    mrr_minor = excluded.mrr_minor,
    state = excluded.state,
    started_at = excluded.started_at,
    ended_at = excluded.ended_at,
    updated_at = excluded.updated_at`,
)

/** Derives the changes of MRR of customers again. */
export const deriveChanges = query<{ siteNo: number; customers: string[] }>(
  'derive-mrr-changes',
  'select from derive_mrr_changes(:siteNo::int, :customers::text[])',
)

const findFirstVisits = query<{ siteNo: number; customers: string[] }>(
  'find-first-visits',
  `select find_first_visit(:siteNo::int, customer)
  from unnest(:customers::text[]) as customer`,
)

/**
 * Derives again what is kept of the subscriptions of customers. A subscription that one of them has no more takes its visitor along: another visit
 * may then be the first one. Only under the processor lock.
 */
export async function deriveMrrChanges(
  tx: Transaction,
  given: { siteNo: number; customers: string[] },
): Promise<void> {
  await deriveChanges(tx, given)
  await findFirstVisits(tx, given)
}

/** Most subscriptions that one transaction recomputes: other events of the site wait for it. */
export const MOST_AT_ONCE = 50

/**
 * Recomputes subscriptions from their facts, and records the lookups that an exact MRR needs.
 * @returns these lookups, and the ids of invoices that were found to be a renewal, or to be none any more
 */
export async function recomputeSubscriptions(
  tx: Transaction,
  siteNo: number,
  subscriptionIds: readonly string[],
) {
  const lookups = new Map<string, Lookup>()
  const renewalsChanged: string[] = []
  const customers = new Set<string>()
  for (const subscriptionId of subscriptionIds) {
    const recomputed = await recomputeSubscription(tx, { siteNo, subscriptionId })
    const { history, renewalsChanged: renewals, customersMoved } = recomputed
    for (const customer of customersMoved) customers.add(customer)
    for (const lookup of history.needed) lookups.set(`${lookup.of}/${lookup.id}`, lookup)
    renewalsChanged.push(...renewals)
  }
  if (customers.size > 0) await deriveMrrChanges(tx, { siteNo, customers: [...customers].sort() })
  const needed = [...lookups.values()]
  await recordLookups(tx, siteNo, needed)
  return { needed, renewalsChanged }
}

/**
 * Recomputes the movements, the lifecycle events and the row of a subscription from all its facts. A second run changes
 * nothing. Only one transaction per site may run it at a time.
 * @returns the subscription history, ids of invoices that became a renewal or are none any more, and the keys of customers whose MRR
 * changed
 */
export async function recomputeSubscription(tx: Transaction, key: SubscriptionKey) {
  const history = await loadHistory(tx, key)
  const { visitorId } = await findNamedVisitor(tx, key.siteNo, { ...key, customerId: history.customerId })
  const { movements, lifecycleEvents, row } = planSubscription(history, visitorId)
  const subscription = { ...key, visitorId }
  const [known] = await findSubscription(tx, key)
  const appended = await appendMovements(tx, subscription, movements)
  const changed = await replaceLifecycleEvents(tx, subscription, lifecycleEvents, {
    customerId: history.customerId,
    states: history.states,
  })
  if (row) await upsertSubscription(tx, { ...key, ...row, state: JSON.stringify(row.state) })
  const before = customerKey(key, known?.customerId)
  const now = customerKey(key, row?.customerId)
  // Deriving the changes of a customer takes 6 ms: its statements are planned with all chunks of movements. Most events are invoices,
  // which move nothing.
  const customersMoved = appended > 0 || (known && before !== now) ? [before, now] : []
  const renewalsChanged = changed.filter(({ name }) => name === RENEWED).map(({ key: id }) => id)
  return { history, renewalsChanged, customersMoved }
}

async function loadHistory(tx: Transaction, key: SubscriptionKey): Promise<SubscriptionHistory> {
  const { siteNo } = key
  const facts = await loadSubscriptionFacts(tx, key)
  const customerId = customerIdIn(facts)
  const customerDiscounts = customerId ? await loadCustomerDiscounts(tx, { siteNo, customerId }) : []
  const named = namedIn([...facts, ...customerDiscounts])
  return deriveHistory(facts, customerDiscounts, await loadDefinitions(tx, siteNo, named))
}

/**
 * Appends the missing movements to the ledger, and attributes all movements to the visitor that is known now.
 * @returns how many were missing
 */
async function appendMovements(
  tx: Transaction,
  subscription: Subscription,
  wanted: Movement[],
): Promise<number> {
  const { siteNo, subscriptionId, visitorId } = subscription
  const rows = await selectMovements(tx, { siteNo, subscriptionId })
  if (rows.length > 0) await reattribute(tx, subscription, rows)
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  const missing = compensate(recorded, wanted)
  for (const { at: time, ...movement } of missing) {
    const at = new Date(time)
    const id = randomUUID()
    // A correction belongs to the same session as the movement that it corrects.
    const corrected = rows.find(row => row.at.getTime() === time && row.sessionNo !== null)
    const found = corrected ?? (await attribute(tx, siteNo, visitorId, at))
    await insertMovement(tx, { ...found, ...movement, siteNo, subscriptionId, at, id })
    await awaitVisitor(tx, found, { siteNo, visitorId, target: 'mrr_movements', at, id })
  }
  return missing.length
}

/** Attributes recorded movements to a visitor that became known later. Amounts in the ledger never change. */
async function reattribute(tx: Transaction, subscription: Subscription, rows: MovementRow[]): Promise<void> {
  const { siteNo, subscriptionId, visitorId } = subscription
  const [known] = await findSubscription(tx, { siteNo, subscriptionId })
  const before = known?.state.visitorId ?? null
  if (before === visitorId) return
  const ids = rows.map(({ id }) => id)
  // Waits for a transaction that attributes these rows now, and prevents later ones: see `attributeMovement`.
  if (before !== null) await deleteAwaiting(tx, { siteNo, visitorId: before, ids })
  for (const row of rows) {
    const { at, id } = row
    const found = await attribute(tx, siteNo, visitorId, at)
    Object.assign(row, found)
    await attributeMovement(tx, { ...found, siteNo, at, id })
    await awaitVisitor(tx, found, { siteNo, visitorId, target: 'mrr_movements', at, id })
  }
}

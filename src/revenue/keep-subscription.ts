import { randomUUID } from 'node:crypto'
import { statement, type Transaction } from '../infra/db.ts'
import { attribute, awaitVisitor } from './attribution.ts'
import { namedIn } from './definitions.ts'
import { findNamedVisitor, loadCustomerDiscounts, loadDefinitions, loadSubscriptionFacts } from './facts.ts'
import { compensate, type LifecycleEvent, type Movement, renewalsOf, tellLife, trialOf } from './ledger.ts'
import { type Life, readLife } from './life.ts'
import { eraseServiceEvents, type ServiceEvent, writeServiceEvents } from './service-events.ts'

interface MovementRow extends Omit<Movement, 'at'> {
  id: string
  at: Date
  visitorNo: number | null
  sessionNo: number | null
  sessionAt: Date | null
}

interface LifecycleEventRow extends Omit<LifecycleEvent, 'at'> {
  at: Date
  visitorId: string | null
}

const selectMovements = statement<MovementRow>('select-movements')
const insertMovement = statement('insert-movement')
const attributeMovement = statement('attribute-movement')
const deleteAwaiting = statement('delete-awaiting')
const selectLifecycleEvents = statement<LifecycleEventRow>('select-lifecycle-events')
const insertLifecycleEvents = statement('insert-lifecycle-events')
const deleteLifecycleEvents = statement('delete-lifecycle-events')
const findSubscription = statement<{ state: { visitorId: string | null } }>('find-subscription')
const upsertSubscription = statement('upsert-subscription')

/** A subscription and the visitor that it is attributed to. */
interface Place {
  siteNo: number
  subscriptionId: string
  visitorId: string | null
}

export interface Kept {
  life: Life
  /** Ids of invoices that this call found to be a renewal, or to be none any more. */
  reconsidered: string[]
}

/**
 * Recomputes the ledger, the lifecycle events and the row of a subscription from all its facts. A second run changes nothing.
 * Only one transaction per site may run it at a time.
 */
export async function keepSubscription(
  tx: Transaction,
  siteNo: number,
  subscriptionId: string,
): Promise<Kept> {
  const life = await loadLife(tx, siteNo, subscriptionId)
  const { states, invoices, customerId } = life
  const { visitorId } = await findNamedVisitor(tx, siteNo, { subscriptionId, customerId })
  const place = { siteNo, subscriptionId, visitorId }
  const { movements, lifecycle_events } = tellLife(states)
  const renewals = renewalsOf(invoices, trialOf(states)).map(({ id, paidAt }) => ({
    at: paidAt,
    name: RENEWED,
    key: id,
  }))
  await keepMovements(tx, place, movements)
  const changed = await keepLifecycleEvents(tx, place, [...lifecycle_events, ...renewals])
  const latest = states.at(-1)
  if (latest) {
    const state = JSON.stringify({ visitorId, isEnding: latest.isEnding })
    const { currency, status, mrr } = latest
    await upsertSubscription(tx, siteNo, subscriptionId, customerId, currency, status, mrr, state)
  }
  return { life, reconsidered: changed.filter(({ name }) => name === RENEWED).map(({ key }) => key) }
}

const RENEWED = 'subscription_renewed' as const

async function loadLife(tx: Transaction, siteNo: number, subscriptionId: string): Promise<Life> {
  const facts = await loadSubscriptionFacts(tx, siteNo, subscriptionId)
  const customerId = facts.find(fact => fact.customerId !== null)?.customerId
  const customerDiscounts = customerId ? await loadCustomerDiscounts(tx, siteNo, customerId) : []
  const named = namedIn([...facts, ...customerDiscounts])
  return readLife(facts, customerDiscounts, await loadDefinitions(tx, siteNo, named))
}

/** Appends the missing movements to the ledger, and attributes all movements to the visitor that is known now. */
async function keepMovements(tx: Transaction, place: Place, wanted: Movement[]): Promise<void> {
  const { siteNo, subscriptionId } = place
  const rows = await selectMovements(tx, siteNo, subscriptionId)
  if (rows.length > 0) await reattribute(tx, place, rows)
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  for (const { at, kind, currency, amountMinor } of compensate(recorded, wanted)) {
    const moment = new Date(at)
    // A correction belongs to the same session as the movement that it corrects.
    const corrected = rows.find(row => row.at.getTime() === at && row.sessionNo !== null)
    const found = corrected ?? (await attribute(tx, siteNo, place.visitorId, moment))
    const id = randomUUID()
    const { visitorNo, sessionNo, sessionAt } = found
    await insertMovement(
      tx,
      siteNo,
      moment,
      id,
      subscriptionId,
      kind,
      currency,
      amountMinor,
      visitorNo,
      sessionNo,
      sessionAt,
    )
    if ('isPending' in found && found.isPending) {
      await awaitVisitor(tx, siteNo, place.visitorId!, [{ target: 'mrr_movements', at: moment, id }])
    }
  }
}

/** Attributes recorded movements to a visitor that became known later. Amounts in the ledger never change. */
async function reattribute(tx: Transaction, place: Place, rows: MovementRow[]): Promise<void> {
  const { siteNo, subscriptionId, visitorId } = place
  const [known] = await findSubscription(tx, siteNo, subscriptionId)
  const before = known?.state.visitorId ?? null
  if (before === visitorId) return
  const ids = rows.map(({ id }) => id)
  // Waits for a transaction that attributes these rows now, and prevents later ones: see attribute-movement.sql.
  if (before !== null) await deleteAwaiting(tx, siteNo, before, ids)
  for (const row of rows) {
    const found = await attribute(tx, siteNo, visitorId, row.at)
    Object.assign(row, found)
    await attributeMovement(tx, siteNo, row.at, row.id, found.visitorNo, found.sessionNo, found.sessionAt)
    if (!found.isPending) continue
    await awaitVisitor(tx, siteNo, visitorId!, [{ target: 'mrr_movements', at: row.at, id: row.id }])
  }
}

/** @returns the events that were written or deleted */
async function keepLifecycleEvents(
  tx: Transaction,
  place: Place,
  wanted: LifecycleEvent[],
): Promise<LifecycleEvent[]> {
  const { siteNo, subscriptionId, visitorId } = place
  const rows = await selectLifecycleEvents(tx, siteNo, subscriptionId)
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  const identity = ({ name, key, at }: LifecycleEvent, of: string | null) => `${name}/${key}/${at}/${of}`
  const wantedNow = new Set(wanted.map(each => identity(each, visitorId)))
  const there = new Set(recorded.map(each => identity(each, each.visitorId)))
  const wrong = recorded.filter(each => !wantedNow.has(identity(each, each.visitorId)))
  const missing = wanted.filter(each => !there.has(identity(each, visitorId)))
  if (wrong.length > 0) {
    await eraseServiceEvents(
      tx,
      place,
      wrong.map(each => eventOf(place, each, each.visitorId)),
    )
    await deleteLifecycleEvents(tx, siteNo, subscriptionId, ...columns(wrong).slice(0, 2))
  }
  if (missing.length > 0) {
    await writeServiceEvents(
      tx,
      place,
      missing.map(each => eventOf(place, each, visitorId)),
    )
    await insertLifecycleEvents(tx, siteNo, subscriptionId, ...columns(missing), visitorId)
  }
  return [...wrong, ...missing]
}

const eventOf = (
  { subscriptionId }: Place,
  { name, key, at }: LifecycleEvent,
  visitorId: string | null,
): ServiceEvent => ({ name, at: new Date(at), key: `${subscriptionId}/${key}`, visitorId })

const columns = (lifecycle_events: LifecycleEvent[]) => [
  lifecycle_events.map(({ name }) => name),
  lifecycle_events.map(({ key }) => key),
  lifecycle_events.map(({ at }) => at),
]

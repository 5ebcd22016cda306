import { randomUUID } from 'node:crypto'
import { statement, type Transaction } from '../infra/db.ts'
import { attribute, awaitVisitor } from './attribution.ts'
import { namedIn } from './definitions.ts'
import { findNamedVisitor, loadCustomerDiscounts, loadDefinitions, loadSubscriptionFacts } from './facts.ts'
import { compensate, type Milestone, type Movement, renewalsOf, tellLife, trialOf } from './ledger.ts'
import { type Life, readLife } from './life.ts'
import { eraseServiceEvents, type ServiceEvent, writeServiceEvents } from './service-events.ts'

interface MovementRow extends Omit<Movement, 'at'> {
  id: string
  at: Date
  visitorNo: number | null
  sessionNo: number | null
  sessionAt: Date | null
}

interface MilestoneRow extends Omit<Milestone, 'at'> {
  at: Date
  visitorId: string | null
}

const selectMovements = statement<MovementRow>('select-movements')
const insertMovement = statement('insert-movement')
const attributeMovement = statement('attribute-movement')
const deleteAwaiting = statement('delete-awaiting')
const selectMilestones = statement<MilestoneRow>('select-milestones')
const insertMilestones = statement('insert-milestones')
const deleteMilestones = statement('delete-milestones')
const findSubscription = statement<{ state: { visitorId: string | null } }>('find-subscription')
const upsertSubscription = statement('upsert-subscription')

/** The subscription whose ledger is kept. */
interface Place {
  siteNo: number
  subscriptionId: string
  visitorId: string | null
}

export interface Kept {
  life: Life
  /** Invoices of which it is news that they paid, or did not pay, for a later cycle. */
  reconsidered: string[]
}

/**
 * Brings ledger, lifecycle events and the row of a subscription in line with everything that was said of it. Running it
 * again changes nothing. Only one transaction at a time may do it for a site.
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
  const { movements, milestones } = tellLife(states)
  const renewals = renewalsOf(invoices, trialOf(states)).map(({ id, paidAt }) => ({
    at: paidAt,
    name: RENEWED,
    key: id,
  }))
  await keepMovements(tx, place, movements)
  const changed = await keepMilestones(tx, place, [...milestones, ...renewals])
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

/** Appends what is missing from the ledger, and gives all of it to the visitor who is known by now. */
async function keepMovements(tx: Transaction, place: Place, wanted: Movement[]): Promise<void> {
  const { siteNo, subscriptionId } = place
  const rows = await selectMovements(tx, siteNo, subscriptionId)
  if (rows.length > 0) await reattribute(tx, place, rows)
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  for (const { at, kind, currency, amountMinor } of compensate(recorded, wanted)) {
    const moment = new Date(at)
    // What corrects a movement belongs to the session that the movement belongs to.
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

/** Amounts in the ledger never change; whose they are may become known later. */
async function reattribute(tx: Transaction, place: Place, rows: MovementRow[]): Promise<void> {
  const { siteNo, subscriptionId, visitorId } = place
  const [known] = await findSubscription(tx, siteNo, subscriptionId)
  const before = known?.state.visitorId ?? null
  if (before === visitorId) return
  const ids = rows.map(({ id }) => id)
  // Waits for whoever attributes them right now, and keeps others from it: see attribute-movement.sql.
  if (before !== null) await deleteAwaiting(tx, siteNo, before, ids)
  for (const row of rows) {
    const found = await attribute(tx, siteNo, visitorId, row.at)
    Object.assign(row, found)
    await attributeMovement(tx, siteNo, row.at, row.id, found.visitorNo, found.sessionNo, found.sessionAt)
    if (!found.isPending) continue
    await awaitVisitor(tx, siteNo, visitorId!, [{ target: 'mrr_movements', at: row.at, id: row.id }])
  }
}

/** @returns those that were written or taken away */
async function keepMilestones(tx: Transaction, place: Place, wanted: Milestone[]): Promise<Milestone[]> {
  const { siteNo, subscriptionId, visitorId } = place
  const rows = await selectMilestones(tx, siteNo, subscriptionId)
  const recorded = rows.map(row => ({ ...row, at: row.at.getTime() }))
  const identity = ({ name, key, at }: Milestone, of: string | null) => `${name}/${key}/${at}/${of}`
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
    await deleteMilestones(tx, siteNo, subscriptionId, ...columns(wrong).slice(0, 2))
  }
  if (missing.length > 0) {
    await writeServiceEvents(
      tx,
      place,
      missing.map(each => eventOf(place, each, visitorId)),
    )
    await insertMilestones(tx, siteNo, subscriptionId, ...columns(missing), visitorId)
  }
  return [...wrong, ...missing]
}

const eventOf = (
  { subscriptionId }: Place,
  { name, key, at }: Milestone,
  visitorId: string | null,
): ServiceEvent => ({ name, at: new Date(at), key: `${subscriptionId}/${key}`, visitorId })

const columns = (milestones: Milestone[]) => [
  milestones.map(({ name }) => name),
  milestones.map(({ key }) => key),
  milestones.map(({ at }) => at),
]

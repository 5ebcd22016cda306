import { AppError, invalidField } from '../errors.ts'
import { type Db, statement, type Transaction } from '../infra/db.ts'
import type { Log } from '../infra/log.ts'
import { holdConnection, type OpenConnection } from './connection.ts'
import { keepDefinition, noteDependents, subscriptionsOf } from './dependents.ts'
import { findNamedVisitor, keepFact, noteEvent } from './facts.ts'
import type { Kept } from './keep-subscription.ts'
import { forgetLookup, idsOf, postpone, selectDue } from './lookups.ts'
import { inTurn, lockProcessor } from './processor-lock.ts'
import { keepSubscriptions, MOST_AT_ONCE, reworkLater, reworkSite, undescribedIn } from './rework.ts'
import { settleSale } from './settle-sale.ts'
import type { StripeAccess } from './stripe/client.ts'
import { type Fact, readEvent } from './stripe/event.ts'
import { describe, type Undescribed } from './stripe/lookup.ts'
import { transact } from './transact.ts'

const selectSales = statement<{ objectId: string; saleIds: string[] }>('select-sales-of')

/** Stored as the event type of facts that a lookup returned. */
const LOOKUP = 'lookup'

export interface ReceiveOptions {
  db: Db
  log: Log
  /** Base URL of the processor's API; undefined for Stripe's own. */
  stripeApiBase: string | undefined
  now: () => Date
}

/** Result of the transaction of one event, and the work that remains after its commit. */
interface Taken {
  kept: Kept[]
  /** More than 50 subscriptions depend on the event: the others are in the recompute queue. */
  isMore: boolean
  /** The sale has more linked ids than `loadSale` reads. */
  isCut: boolean
}

/**
 * Applies an event of the processor whose signature was verified. All changes are made in one transaction, except that of
 * many affected subscriptions only the first 50 are in it and the others follow in further transactions.
 * An event that was applied before changes nothing, and neither does an event type that the ledger does not use.
 * @param text the signed body
 * @throws AppError `malformed_json`, `validation_failed` when the event cannot be read, `not_found` when the processor was
 * disconnected meanwhile; nothing is stored in these cases
 */
export async function receiveEvent(
  options: ReceiveOptions,
  connection: OpenConnection,
  text: string,
): Promise<void> {
  const event = readEvent(text, options.now())
  if (!event) return
  const { type, fact } = event
  const taken = await takeInTurn(options, connection, type, fact)
  if (taken.isCut) {
    const siteId = connection.site.id
    options.log.warn({ siteId, objectId: fact.objectId }, 'more is linked to a sale than is looked at')
  }
  await completeKnowledge(options, connection, taken.kept)
}

async function takeInTurn(
  { db, log }: ReceiveOptions,
  connection: OpenConnection,
  type: string,
  fact: Fact,
): Promise<Taken> {
  const { siteNo } = connection.site
  const run = () => transact(db, tx => take(tx, connection, type, fact))
  const taken = await inTurn(siteNo, run).catch(error => {
    throw error instanceof RangeError ? invalidField('data.object', error.message) : error
  })
  if (taken.isMore) await reworkSite({ db, log }, siteNo)
  return taken
}

async function take(tx: Transaction, connection: OpenConnection, type: string, fact: Fact): Promise<Taken> {
  const { siteNo } = connection.site
  await lockProcessor(tx, siteNo)
  await holdConnection(tx, connection)
  const isNew = await noteEvent(tx, siteNo, type, fact)
  if (type === LOOKUP) await forgetLookup(tx, siteNo, fact.objectId)
  else if (!isNew) return { kept: [], isMore: false, isCut: false }
  const { touched, named } = await keep(tx, siteNo, fact)
  const kept = await keepSubscriptions(tx, siteNo, touched.slice(0, MOST_AT_ONCE))
  await reworkLater(tx, siteNo, touched.slice(MOST_AT_ONCE))
  let isCut = false
  const own = fact.saleIds.length > 0
  if (own) {
    const isPaid = fact.kind === 'invoice' || fact.kind === 'checkout'
    isCut = (await settleSale(tx, { siteNo }, fact.saleIds, isPaid ? fact.objectId : undefined)).isCut
  }
  const sales = new Map(
    kept.flatMap(({ reconsidered }) => reconsidered.map((id): [string, string[]] => [id, [id]])),
  )
  if (named.subscriptionId ?? named.customerId) {
    const rows = await selectSales(tx, siteNo, named.subscriptionId, named.customerId)
    for (const { objectId, saleIds } of rows) sales.set(objectId, saleIds)
  }
  if (own) sales.delete(fact.objectId)
  for (const ids of sales.values()) await settleSale(tx, { siteNo }, ids)
  return { kept, isMore: touched.length > MOST_AT_ONCE, isCut }
}

/**
 * Stores the fact of an event.
 * @returns `touched`: the subscriptions that it changes, its own first; `named`: ids whose visitor became known with it
 */
async function keep(tx: Transaction, siteNo: number, fact: Fact) {
  const others = new Set<string>()
  if (fact.kind === 'coupon' || fact.kind === 'price') {
    for (const id of await keepDefinition(tx, siteNo, fact)) others.add(id)
  } else {
    await keepFact(tx, siteNo, fact)
    await noteDependents(tx, siteNo, fact)
  }
  const named = await whomItNames(tx, siteNo, fact)
  const isOfCustomer = fact.kind === 'discount' && fact.subscriptionId === null
  const customerId = isOfCustomer ? fact.customerId : named.customerId
  if (customerId !== null) for (const id of await subscriptionsOf(tx, siteNo, customerId)) others.add(id)
  const own = fact.subscriptionId === null ? [] : [fact.subscriptionId]
  for (const id of own) others.delete(id)
  return { touched: [...own, ...[...others].sort()], named }
}

/** Ids whose visitor became known with this event. */
async function whomItNames(tx: Transaction, siteNo: number, fact: Fact) {
  const { visitorId, subscriptionId, customerId, eventId } = fact
  if (visitorId === null) return { subscriptionId: null, customerId: null }
  const first = await findNamedVisitor(tx, siteNo, { subscriptionId, customerId, eventId })
  return {
    subscriptionId: first.isFirstOfSubscription ? subscriptionId : null,
    customerId: first.isFirstOfCustomer ? customerId : null,
  }
}

/**
 * Asks the processor's API for data that payloads omit, after the event itself is committed. Data that cannot be fetched
 * counts as 0 until a later event of the site, or a repeated delivery of this one, asks again.
 */
async function completeKnowledge(
  options: ReceiveOptions,
  connection: OpenConnection,
  kept: Kept[],
): Promise<void> {
  const { log, stripeApiBase } = options
  const { site, apiKey } = connection
  const undescribed = undescribedIn(kept)
  if (!apiKey) {
    if (idsOf(undescribed).length === 0) return
    log.warn({ siteId: site.id, ...undescribed, failure: 'there is no API key' }, 'MRR is not exact')
    return
  }
  const access = { apiKey, stripeApiBase }
  const isNews = await ask(options, connection, access, undescribed)
  // Items can refer to further coupons and prices that are not described yet.
  if (isNews) await ask(options, connection, access, NOTHING)
}

const NOTHING: Undescribed = { couponIds: [], priceIds: [], cut: [] }

/**
 * @param wanted lookups to make in addition to those that are due
 * @returns whether an answer has items
 */
async function ask(
  options: ReceiveOptions,
  connection: OpenConnection,
  access: StripeAccess,
  wanted: Undescribed,
): Promise<boolean> {
  const { db, log } = options
  const { site } = connection
  const due = await selectDue(db, site.siteNo, wanted)
  if (idsOf(due).length === 0) return false
  const { facts, missing, failed, failure } = await describe(access, due)
  if (failed.length + missing.length > 0) {
    log.warn({ siteId: site.id, missing, failed, failure }, 'MRR is not exact')
    await postpone(db, site.siteNo, { missing, failed })
  }
  for (const fact of facts) {
    try {
      await takeInTurn(options, connection, LOOKUP, fact)
    } catch (error) {
      // The answer of the API cannot be used. The event itself is valid and stored, so its delivery must not fail.
      if (!(error instanceof AppError)) throw error
      log.warn({ siteId: site.id, failed: [fact.objectId], failure: error.message }, 'MRR is not exact')
      await postpone(db, site.siteNo, { missing: [], failed: [fact.objectId] })
    }
  }
  return facts.some(({ kind }) => kind === 'items')
}

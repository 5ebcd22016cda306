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

/** In place of an event's type, of what was asked for. */
const LOOKUP = 'lookup'

export interface ReceiveOptions {
  db: Db
  log: Log
  /** Where the processor's API is asked. */
  stripeApiBase: string | undefined
  now: () => Date
}

/** What an event changed, and what is left to do once it is safe. */
interface Taken {
  kept: Kept[]
  /** More subscriptions depend on it than its transaction could bring in line. */
  isMore: boolean
  /** More ids are linked than one sale has. */
  isCut: boolean
}

/**
 * Takes an event of the processor whose signature was verified: all that it changes in one transaction, or nothing; but
 * of what changes many subscriptions the first fifty, and the others in further ones.
 * An event that was taken before changes nothing, nor does one the ledger has no use for.
 * @param text the body as it was signed
 * @throws AppError `malformed_json`, `validation_failed` when it cannot be read, `not_found` when the processor was
 * disconnected meanwhile; nothing is kept then
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
 * Keeps what an event said.
 * @returns the subscriptions that it changes, its own first; of whom it is news whose visitor they are
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

/** The subscription and the customer of which it is news whose visitor they are. */
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
 * Asks the processor for what its payloads leave out, now that the event itself is safe. What cannot be had counts as
 * nothing until a later event of the site, or this one when it is sent again, asks again.
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
  // Items name coupons and prices in turn.
  if (isNews) await ask(options, connection, access, NOTHING)
}

const NOTHING: Undescribed = { couponIds: [], priceIds: [], cut: [] }

/**
 * @param wanted asked for beside what is due
 * @returns whether items were among the answers
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
      // Of no use to the ledger, which is no fault of the event that is answered.
      if (!(error instanceof AppError)) throw error
      log.warn({ siteId: site.id, failed: [fact.objectId], failure: error.message }, 'MRR is not exact')
      await postpone(db, site.siteNo, { missing: [], failed: [fact.objectId] })
    }
  }
  return facts.some(({ kind }) => kind === 'items')
}

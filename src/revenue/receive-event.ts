import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, invalidField } from '../errors.ts'
import { type Db, isRetryable, statement, type Transaction } from '../infra/db.ts'
import type { Log } from '../infra/log.ts'
import { createTurns } from '../infra/turns.ts'
import { holdConnection, type OpenConnection } from './connection.ts'
import { findNamedVisitor, keepFact, noteEvent } from './facts.ts'
import { type Kept, keepSubscription } from './keep-subscription.ts'
import { forgetLookup, idsOf, noteLookups, postpone, selectDue } from './lookups.ts'
import { lockProcessor } from './processor-lock.ts'
import { settleSale } from './settle-sale.ts'
import type { StripeAccess } from './stripe/client.ts'
import { type Fact, readEvent } from './stripe/event.ts'
import { describe, type Undescribed } from './stripe/lookup.ts'

const selectNaming = statement<{ subscriptionId: string }>('select-subscriptions-naming')
const selectOfCustomer = statement<{ subscriptionId: string }>('select-subscriptions-of-customer')
const selectSales = statement<{ objectId: string; saleIds: string[] }>('select-sales-of')

/** In place of an event's type, of what was asked for. */
const LOOKUP = 'lookup'
const ATTEMPTS = 4
const RETRY_MS = 25

/** Events of one site are taken one after the other: waiting for each other they would hold all connections. */
const inTurn = createTurns()

export interface ReceiveOptions {
  db: Db
  log: Log
  /** Where the processor's API is asked. */
  stripeApiBase: string | undefined
  now: () => Date
}

/**
 * Takes an event of the processor whose signature was verified: all that it changes in one transaction, or nothing.
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
  const kept = await takeInTurn(options.db, connection, type, fact)
  await completeKnowledge(options, connection, kept)
}

const takeInTurn = (db: Db, connection: OpenConnection, type: string, fact: Fact): Promise<Kept[]> =>
  inTurn(connection.site.siteNo, () => transact(db, tx => take(tx, connection, type, fact)))

async function take(tx: Transaction, connection: OpenConnection, type: string, fact: Fact): Promise<Kept[]> {
  const { siteNo } = connection.site
  await lockProcessor(tx, siteNo)
  await holdConnection(tx, connection)
  const isNew = await noteEvent(tx, siteNo, type, fact)
  if (type === LOOKUP) await forgetLookup(tx, siteNo, fact.objectId)
  else if (!isNew) return []
  await keepFact(tx, siteNo, fact)
  const named = await whomItNames(tx, siteNo, fact)
  const kept = await keepAll(tx, siteNo, await subscriptionsTouched(tx, siteNo, fact, named.customerId))
  await noteLookups(tx, siteNo, undescribedIn(kept))
  const own = fact.saleIds.length > 0
  if (own) await settleSale(tx, { siteNo }, fact.saleIds, fact.kind === 'invoice' || fact.kind === 'checkout')
  const sales = new Map(
    kept.flatMap(({ reconsidered }) => reconsidered.map((id): [string, string[]] => [id, [id]])),
  )
  if (named.subscriptionId ?? named.customerId) {
    const rows = await selectSales(tx, siteNo, named.subscriptionId, named.customerId)
    for (const { objectId, saleIds } of rows) sales.set(objectId, saleIds)
  }
  if (own) sales.delete(fact.objectId)
  for (const ids of sales.values()) await settleSale(tx, { siteNo }, ids, false)
  return kept
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

async function subscriptionsTouched(
  tx: Transaction,
  siteNo: number,
  fact: Fact,
  namedCustomer: string | null,
): Promise<Set<string>> {
  const ids = new Set<string>()
  if (fact.subscriptionId !== null) ids.add(fact.subscriptionId)
  const isOfCustomer = fact.kind === 'discount' && fact.subscriptionId === null
  const customerId = isOfCustomer ? fact.customerId : namedCustomer
  const rows = customerId === null ? [] : await selectOfCustomer(tx, siteNo, customerId)
  if (fact.kind === 'coupon' || fact.kind === 'price') {
    rows.push(...(await selectNaming(tx, siteNo, fact.objectId)))
  }
  for (const { subscriptionId } of rows) ids.add(subscriptionId)
  return ids
}

async function keepAll(tx: Transaction, siteNo: number, subscriptionIds: Iterable<string>): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const id of [...subscriptionIds].sort()) kept.push(await keepSubscription(tx, siteNo, id))
  return kept
}

const undescribedIn = (kept: Kept[]): Undescribed => ({
  couponIds: [...new Set(kept.flatMap(({ life }) => life.undescribed.couponIds))],
  priceIds: [...new Set(kept.flatMap(({ life }) => life.undescribed.priceIds))],
  cut: kept.flatMap(({ life }) => life.undescribed.cut),
})

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
  { db, log }: ReceiveOptions,
  connection: OpenConnection,
  access: StripeAccess,
  wanted: Undescribed,
): Promise<boolean> {
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
      await takeInTurn(db, connection, LOOKUP, fact)
    } catch (error) {
      // Of no use to the ledger, which is no fault of the event that is answered.
      if (!(error instanceof AppError)) throw error
      log.warn({ siteId: site.id, failed: [fact.objectId], failure: error.message }, 'MRR is not exact')
      await postpone(db, site.siteNo, { missing: [], failed: [fact.objectId] })
    }
  }
  return facts.some(({ kind }) => kind === 'items')
}

/** Runs a transaction again that others were in the way of. */
async function transact<Result>(db: Db, run: (tx: Transaction) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.begin(run)) as Result
    } catch (error) {
      if (error instanceof RangeError) throw invalidField('data.object', error.message)
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error
      await sleep(RETRY_MS * attempt)
    }
  }
}

import type { Db, Transaction } from '../platform/db/connect.ts'
import { query } from '../platform/db/query.ts'
import { AppError } from '../platform/errors.ts'
import type { Log } from '../platform/runtime/log.ts'
import { announceChanges } from '../storage/events/announcements.ts'
import { applyFact } from './apply-fact.ts'
import type { OpenConnection } from './processor/connection.ts'
import { readEvent } from './processor/event.ts'
import { insertEvent } from './processor/facts.ts'
import { fetchObjects, type Lookup } from './processor/fetch-objects.ts'
import { deleteLookup, postpone, selectDue } from './processor/lookups.ts'
import type { StripeAccess } from './processor/stripe.ts'

export interface ReceiveOptions {
  db: Db
  log: Log
  /** Base URL of the processor's API; undefined for Stripe's own. */
  stripeApiBase: string | undefined
  now: () => Date
}

/**
 * Applies an event of the processor whose signature was verified. An event that was applied before changes nothing, and
 * neither does an event type that the ledger does not use.
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
  const { siteNo } = connection.site
  const needed = await applyFact(options, connection, fact, async tx => {
    await announceEvent(tx, siteNo, options.now(), fact.at)
    const rows = await insertEvent(tx, { siteNo, eventId: fact.eventId, type, at: fact.at })
    return rows.length > 0
  })
  await lookUp(options, connection, needed, fact.at)
}

const findImportWork = query<{ siteNo: number }, { isLeft: boolean }>(
  'find-import-work',
  `select exists (
    select from revenue_import_work where site_no = :siteNo and failure is null
  ) as "isLeft"`,
)

/**
 * Announces what an event of the processor changes. While an import of the past is being derived, the event may be the first to record
 * what the import has read: only what happened since the event is news then.
 */
async function announceEvent(tx: Transaction, siteNo: number, now: Date, eventAt: Date): Promise<void> {
  const [work] = await findImportWork(tx, { siteNo })
  announceChanges(tx, now, work!.isLeft ? eventAt : undefined)
}

/**
 * Asks the processor's API for data that payloads omit, after the event itself is committed. Data that cannot be fetched
 * counts as 0 until a later event of the site, or a repeated delivery of this one, asks again.
 * @param needed objects to look up in addition to those that are due
 * @param eventAt time of the event
 */
async function lookUp(
  options: ReceiveOptions,
  connection: OpenConnection,
  needed: Lookup[],
  eventAt: Date,
): Promise<void> {
  const { site, apiKey } = connection
  if (apiKey) {
    const access = { apiKey, stripeApiBase: options.stripeApiBase }
    const announceAnswer = (tx: Transaction) =>
      announceEvent(tx, connection.site.siteNo, options.now(), eventAt)
    const hasItems = await lookUpDue(options, connection, access, needed, announceAnswer)
    // Items can refer to further coupons and prices that are not described yet.
    if (hasItems) await lookUpDue(options, connection, access, [], announceAnswer)
  } else if (needed.length > 0) {
    options.log.warn({ siteId: site.id, needed, failure: 'there is no API key' }, 'MRR is not exact')
  }
}

/** Most rounds of lookups after an import; events ask for the rest. */
const MOST_ROUNDS = 50

/** Makes all lookups that are due, such as those that an import has found. */
export async function askDueLookups(
  options: Omit<ReceiveOptions, 'now'>,
  connection: OpenConnection,
): Promise<void> {
  const { apiKey, site } = connection
  if (!apiKey) return
  const access = { apiKey, stripeApiBase: options.stripeApiBase }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if ((await selectDue(options.db, site.siteNo, [])).length === 0) return
    await lookUpDue(options, connection, access, [])
  }
}

/**
 * @param announceAnswer called in the transaction of each answer that is news; left out where what changes is history
 * @returns whether an answer has items
 */
async function lookUpDue(
  options: Omit<ReceiveOptions, 'now'>,
  connection: OpenConnection,
  access: StripeAccess,
  needed: Lookup[],
  announceAnswer?: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  const { db, log } = options
  const { siteNo, id: siteId } = connection.site
  const due = await selectDue(db, siteNo, needed)
  if (due.length === 0) return false
  const { facts, missing, failed, failure } = await fetchObjects(access, due)
  if (failed.length + missing.length > 0) {
    log.warn({ siteId, missing, failed, failure }, 'MRR is not exact')
    await postpone(db, siteNo, missing, true)
    await postpone(db, siteNo, failed, false)
  }
  const ofImport = new Set(due.filter(({ isNews }) => !isNews).map(({ id }) => id))
  for (const fact of facts) {
    const { objectId } = fact
    try {
      await applyFact(options, connection, fact, async tx => {
        if (!ofImport.has(objectId)) await announceAnswer?.(tx)
        await deleteLookup(tx, { siteNo, objectId })
        return true
      })
    } catch (error) {
      // The answer of the API cannot be used. The event itself is valid and stored, so its delivery must not fail.
      if (!(error instanceof AppError)) throw error
      log.warn({ siteId, failed: [objectId], failure: error.message }, 'MRR is not exact')
      await postpone(db, siteNo, [objectId], false)
    }
  }
  return facts.some(({ kind }) => kind === 'items')
}

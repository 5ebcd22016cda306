import { AppError, invalidField } from '../errors.ts'
import { type Queryable, statement, type Transaction } from '../infra/db.ts'
import { markBuckets } from '../rollups/dirty.ts'
import { attribute, awaitVisitor } from './attribution.ts'
import { customerLock, settleFirstPayment } from './first-payments.ts'
import { customerOf, type NewPayment, type PaymentRecord, refundOf } from './payment.ts'
import { type ServiceEvent, writeServiceEvents } from './service-events.ts'

const selectPayment = statement<PaymentRecord>('find-payment')
const insertPayment = statement<PaymentRecord>('insert-payment')
const insertAliases = statement('insert-payment-aliases')
const insertRevenue = statement('insert-revenue')
const lockNames = statement('lock-names')
const shareCurrency = statement<{ currency: string }>('share-site-currency')

/** Returns the payment with one of these ids; the processor's other ids of a payment are searched too. */
export async function findPayment(
  db: Queryable,
  siteNo: number,
  transactionIds: readonly string[],
): Promise<PaymentRecord | undefined> {
  const [payment] = await selectPayment(db, siteNo, transactionIds)
  return payment
}

/** Excludes all other transactions that record or delete a payment with one of these ids, or of this customer. */
export async function lockPayment(
  tx: Transaction,
  siteNo: number,
  payment: { transactionIds: readonly string[]; currency: string; customer: string },
): Promise<void> {
  const names = payment.transactionIds.map(id => `transaction/${siteNo}/${id}`)
  await lockNames(tx, [...names, customerLock(siteNo, payment)])
}

/**
 * Records a payment once, even when other transactions record it at the same time: a row in `payments`, a row in the ledger,
 * and its service events. If a payment with any of the ids exists, that payment only gets the missing ids as aliases.
 * Must be called before the transaction locks the site's row or marks buckets.
 * @returns the recorded payment; `created` is true when this call recorded it
 * @throws AppError `not_found` for a deleted site; `validation_failed` for an API payment in a currency other than the
 * site's; RangeError for an amount that is not an exact whole number above 0
 */
export async function recordPayment(
  tx: Transaction,
  site: { siteNo: number },
  payment: NewPayment,
): Promise<{ created: boolean; payment: PaymentRecord }> {
  const { amountMinor } = payment
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1) {
    throw new RangeError(`${amountMinor} is no amount of a payment`)
  }
  const transactionIds = [payment.transactionId, ...(payment.aliases ?? [])]
  const known = await findPayment(tx, site.siteNo, transactionIds)
  if (known) return keepKnown(tx, site.siteNo, known, transactionIds)
  const customer = customerOf(payment)
  await lockPayment(tx, site.siteNo, { ...payment, transactionIds, customer })
  const meanwhile = await findPayment(tx, site.siteNo, transactionIds)
  if (meanwhile) return keepKnown(tx, site.siteNo, meanwhile, transactionIds)
  return { created: true, payment: await write(tx, site.siteNo, payment, customer) }
}

async function keepKnown(
  tx: Transaction,
  siteNo: number,
  payment: PaymentRecord,
  transactionIds: string[],
): Promise<{ created: false; payment: PaymentRecord }> {
  await addAliases(tx, siteNo, payment, transactionIds)
  return { created: false, payment }
}

/** Adds further ids to a payment. */
export async function addAliases(
  tx: Transaction,
  siteNo: number,
  { id, transactionId }: PaymentRecord,
  names: readonly string[],
): Promise<void> {
  const others = names.filter(name => name !== transactionId)
  if (others.length > 0) await insertAliases(tx, siteNo, id, others)
}

async function write(
  tx: Transaction,
  siteNo: number,
  payment: NewPayment,
  customer: string,
): Promise<PaymentRecord> {
  const attribution = await attribute(tx, siteNo, payment.visitorId, payment.paidAt)
  await requireCurrency(tx, siteNo, payment)
  const [row] = await insertPayment(
    tx,
    siteNo,
    payment.transactionId,
    payment.amountMinor,
    refundOf(payment),
    payment.currency,
    payment.visitorId || null,
    payment.sessionId || null,
    payment.email || null,
    payment.name || null,
    payment.customerId || null,
    payment.renewal,
    payment.refunded,
    payment.isFreeTrial,
    payment.recurring,
    payment.paidAt,
    payment.source,
    customer,
  )
  const recorded = row!
  await addAliases(tx, siteNo, recorded, payment.aliases ?? [])
  const { firstId, changed } = await settleFirstPayment(tx, siteNo, recorded)
  await insertRevenue(
    tx,
    siteNo,
    recorded.paidAt,
    recorded.id,
    recorded.currency,
    recorded.amountMinor,
    recorded.refundedMinor,
    recorded.recurring || recorded.renewal,
    firstId === recorded.id,
    attribution.visitorNo,
    attribution.sessionNo,
    attribution.sessionAt,
  )
  if (attribution.isPending) {
    const ledgerRow = { target: 'revenue', at: recorded.paidAt, id: recorded.id } as const
    await awaitVisitor(tx, siteNo, payment.visitorId!, [ledgerRow])
  }
  const touched = [recorded.paidAt, ...changed].map(at => ({ siteNo, at: at.getTime() }))
  await markBuckets(tx, 'revenue', touched)
  await writeServiceEvents(tx, { siteNo }, serviceEventsOf(recorded))
  return recorded
}

/** Locks the site's row in share mode: otherwise its currency could change before the payment is written. */
async function requireCurrency(tx: Transaction, siteNo: number, { source, currency }: NewPayment) {
  const [site] = await shareCurrency(tx, siteNo)
  if (!site) throw new AppError('not_found', 'No such site')
  if (source === 'api' && currency !== site.currency) throw wrongCurrency(site.currency)
}

/** Returns the error for a payment that was sent in a currency other than the site's. */
export function wrongCurrency(currency: string): AppError {
  return invalidField('currency', `currency must be that of the site, ${currency}`)
}

/** Returns the events that the event log has for a payment. */
export function serviceEventsOf(payment: PaymentRecord): ServiceEvent[] {
  const { id, paidAt, visitorId, amountMinor, currency } = payment
  const properties = { amount: String(amountMinor), currency }
  const event = { at: paidAt, key: id, visitorId, properties }
  const events: ServiceEvent[] = [{ ...event, name: 'payment' }]
  if (payment.isFreeTrial && payment.source === 'api') events.push({ ...event, name: 'free_trial' })
  return events
}

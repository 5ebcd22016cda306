import { type Db, statement, type Transaction } from '../infra/db.ts'
import { markBuckets } from '../rollups/dirty.ts'
import { settleFirstPayment } from './first-payments.ts'
import type { PaymentRecord } from './payment.ts'
import { findPayment, lockPayment, serviceEventsOf } from './record-payment.ts'
import { eraseServiceEvents, serviceEventId } from './service-events.ts'

const refundPayment = statement<{ refundedMinor: number }>('refund-payment')
const refundRevenue = statement('refund-revenue')
const deleteRow = statement('delete-payment')
const deleteRevenue = statement('delete-revenue')
const deleteAwaiting = statement('delete-awaiting')
const selectInCurrency = statement<{ transactionId: string }>('select-payments-in-currency')

interface Site {
  siteNo: number
}

/**
 * Sets how much of a payment was given back, in all; more than was paid counts as all of it. One that was sent as
 * refunded stays so.
 * @param transactionId any id the payment is known by
 * @param refundedMinor minor units
 * @returns false when there is no such payment
 */
export async function setRefunded(
  tx: Transaction,
  { siteNo }: Site,
  transactionId: string,
  refundedMinor: number,
): Promise<boolean> {
  const payment = await findPayment(tx, siteNo, [transactionId])
  const [changed] = payment ? await refundPayment(tx, payment.id, refundedMinor) : []
  // Deleted meanwhile counts as never recorded.
  if (!payment || !changed) return false
  await refundRevenue(tx, siteNo, payment.paidAt, payment.id, changed.refundedMinor)
  await markBuckets(tx, 'revenue', [{ siteNo, at: payment.paidAt.getTime() }])
  return true
}

/**
 * Deletes a payment that came through the API, with everything that was written for it.
 * @param transactionId its own: by another id it is known by too, a deletion that is repeated would take another payment
 * @returns false when there is none of that id, or it came from the processor
 */
export function deletePayment(tx: Transaction, site: Site, transactionId: string): Promise<boolean> {
  return erase(tx, site, transactionId, payment => payment.source === 'api')
}

/**
 * Deletes a payment, wherever it came from, with everything that was written for it.
 * @param transactionId its own
 */
export function erasePayment(tx: Transaction, site: Site, transactionId: string): Promise<boolean> {
  return erase(tx, site, transactionId, () => true)
}

/**
 * Deletes all payments of a site in one currency, the processor's too, each in a transaction of its own: so that the site
 * can have another currency. May be cut off and run again.
 * @returns how many
 */
export async function purgePayments(db: Db, site: Site, currency: string): Promise<number> {
  let deleted = 0
  for (;;) {
    const payments = await selectInCurrency(db, site.siteNo, currency)
    if (payments.length === 0) return deleted
    for (const { transactionId } of payments) {
      const isGone = await db.begin(tx => erase(tx, site, transactionId, () => true))
      if (isGone) deleted += 1
    }
  }
}

async function erase(
  tx: Transaction,
  site: Site,
  transactionId: string,
  isMeant: (payment: PaymentRecord) => boolean,
): Promise<boolean> {
  const { siteNo } = site
  const found = await findPayment(tx, siteNo, [transactionId])
  if (found?.transactionId !== transactionId || !isMeant(found)) return false
  await lockPayment(tx, siteNo, { ...found, transactionIds: [found.transactionId] })
  const payment = await findPayment(tx, siteNo, [transactionId])
  // Another request was faster.
  if (payment?.id !== found.id) return false
  const events = serviceEventsOf(payment)
  if (payment.visitorId) {
    // Before the rows themselves, as whoever attributes them does: so the two never wait for each other.
    const waiting = [payment.id, ...events.map(event => serviceEventId(siteNo, event))]
    await deleteAwaiting(tx, siteNo, payment.visitorId, waiting)
  }
  await deleteRow(tx, payment.id)
  await deleteRevenue(tx, siteNo, payment.paidAt, payment.id)
  const { changed } = await settleFirstPayment(tx, siteNo, payment)
  const touched = [payment.paidAt, ...changed].map(at => ({ siteNo, at: at.getTime() }))
  await markBuckets(tx, 'revenue', touched)
  await eraseServiceEvents(tx, site, events)
  return true
}

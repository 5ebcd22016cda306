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
 * Sets the total refund of a payment; a refund above the amount counts as a full refund. A payment that was sent as refunded
 * stays fully refunded.
 * @param transactionId any id of the payment
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
  // A payment that was deleted meanwhile counts as never recorded.
  if (!payment || !changed) return false
  await refundRevenue(tx, siteNo, payment.paidAt, payment.id, changed.refundedMinor)
  await markBuckets(tx, 'revenue', [{ siteNo, at: payment.paidAt.getTime() }])
  return true
}

/**
 * Deletes a payment that came through the API, with everything that was written for it.
 * @param transactionId the payment's own id. An alias is not accepted: a repeated deletion would delete another payment
 * @returns false when no payment has this id, or it came from the processor
 */
export function deletePayment(tx: Transaction, site: Site, transactionId: string): Promise<boolean> {
  return erase(tx, site, transactionId, payment => payment.source === 'api')
}

/**
 * Deletes a payment of any source, with everything that was written for it.
 * @param transactionId the payment's own id, not an alias
 */
export function erasePayment(tx: Transaction, site: Site, transactionId: string): Promise<boolean> {
  return erase(tx, site, transactionId, () => true)
}

/**
 * Deletes all payments of a site in one currency, including the processor's, so that the site can change its currency. Each
 * deletion is a separate transaction: the purge can be interrupted and run again.
 * @returns number of deleted payments
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
  // Another request deleted the payment first.
  if (payment?.id !== found.id) return false
  const events = serviceEventsOf(payment)
  if (payment.visitorId) {
    // Delete these before the rows themselves, in the same order as attributeAwaiting: another order could deadlock.
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

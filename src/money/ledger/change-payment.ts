import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { deleteAwaiting } from '../../storage/events/attribution.ts'
import { inRepeatedTransaction, lockPayment } from '../transactions.ts'
import { findPayment, lockFirstPayments, serviceEventsOf, updateFirstPayment } from './record-payment.ts'
import { deleteServiceEvents, markTimes, serviceEventId } from './service-events.ts'

/** A payment that was sent as refunded (column `refunded`) stays fully refunded. */
const refundPayment = query<{ id: string; refundedMinor: number }, { refundedMinor: number }>(
  'refund-payment',
  `update payments
  set refunded_minor = case when refunded then amount_minor else least(:refundedMinor, amount_minor) end
  where id = :id
  returning refunded_minor as "refundedMinor"`,
)

const refundRevenue = query<{ siteNo: number; at: Date; paymentId: string; refundedMinor: number }>(
  'refund-revenue',
  `update revenue
  set refunded_minor = :refundedMinor
  where site_no = :siteNo and at = :at and payment_id = :paymentId`,
)

/** Deletes a payment with its aliases. Must run before `delete-revenue`, as a separate statement: see `lock-payments`. */
const deletePaymentRow = query<{ id: string }>('delete-payment', 'delete from payments where id = :id')

const deleteRevenue = query<{ siteNo: number; at: Date; paymentId: string }>(
  'delete-revenue',
  'delete from revenue where site_no = :siteNo and at = :at and payment_id = :paymentId',
)

/** Newest first, so that fewer of them are the first payment of their customer. */
const selectInCurrency = query<{ siteNo: number; currency: string }, { transactionId: string }>(
  'select-payments-in-currency',
  `select transaction_id as "transactionId"
  from payments
  where site_no = :siteNo and currency = :currency
  order by paid_at desc, id desc
  limit 1000`,
)

/**
 * Sets the total refund of a payment; a refund above the amount counts as a full refund. A payment that was sent as refunded
 * stays fully refunded.
 * @param transactionId any id of the payment
 * @param refundedMinor minor units
 * @returns false when there is no such payment
 */
export async function setRefunded(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  transactionId: string,
  refundedMinor: number,
): Promise<boolean> {
  const payment = await findPayment(tx, siteNo, [transactionId])
  const [changed] = payment ? await refundPayment(tx, { id: payment.id, refundedMinor }) : []
  // A payment that was deleted meanwhile counts as never recorded.
  if (!payment || !changed) return false
  const { id: paymentId, paidAt: at } = payment
  await refundRevenue(tx, { siteNo, at, paymentId, ...changed })
  await markTimes(tx, 'revenue', siteNo, [{ at }])
  return true
}

/**
 * Deletes a payment with everything that was written for it.
 * @param transactionId the payment's own id. An alias is not accepted: a repeated deletion would delete another payment
 * @param which `api`: only a payment that came through the API
 * @returns false when no such payment has this id
 */
export async function deletePayment(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  transactionId: string,
  which: 'api' | 'any',
): Promise<boolean> {
  const found = await findPayment(tx, siteNo, [transactionId])
  if (found?.transactionId !== transactionId || (which === 'api' && found.source !== 'api')) return false
  await lockPayment(tx, siteNo, { ...found, transactionIds: [transactionId] })
  const payment = await findPayment(tx, siteNo, [transactionId])
  // Another request deleted the payment first.
  if (payment?.id !== found.id) return false
  const { id, paidAt: at, visitorId } = payment
  const events = serviceEventsOf(payment)
  if (visitorId) {
    // Delete these before the rows themselves, in the same order as attributeAwaiting: another order could deadlock.
    const ids = [id, ...events.map(event => serviceEventId(siteNo, event))]
    await deleteAwaiting(tx, { siteNo, visitorId, ids })
  }
  await lockFirstPayments(tx, { siteNo, currency: payment.currency, customer: payment.customer })
  await deletePaymentRow(tx, { id })
  await deleteRevenue(tx, { siteNo, at, paymentId: id })
  const { changed } = await updateFirstPayment(tx, siteNo, payment)
  await deleteServiceEvents(tx, { siteNo }, events)
  await markTimes(tx, 'revenue', siteNo, [{ at }, ...changed])
  return true
}

/**
 * Deletes all payments of a site in one currency, including the processor's, so that the site can change its currency. Each
 * deletion is a separate transaction: the purge can be interrupted and run again.
 * @returns number of deleted payments
 */
export async function purgePayments(
  db: Db,
  { siteNo }: { siteNo: number },
  currency: string,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const payments = await selectInCurrency(db, { siteNo, currency })
    if (payments.length === 0) return deleted
    for (const { transactionId } of payments) {
      const isDeleted = await inRepeatedTransaction(db, tx =>
        deletePayment(tx, { siteNo }, transactionId, 'any'),
      )
      if (isDeleted) deleted += 1
    }
  }
}

import type { Transaction } from '../../platform/db/connect.ts'
import { announce, newsOf, PROCESSOR_GRACE_MS } from '../../storage/events/announcements.ts'
import type { PaymentRecord } from './payment.ts'

const dataOf = (payment: PaymentRecord) => ({
  transaction_id: payment.transactionId,
  amount: payment.amountMinor,
  currency: payment.currency,
  renewal: payment.renewal,
  recurring: payment.recurring,
  is_free_trial: payment.isFreeTrial,
  customer_id: payment.customerId,
  visitor_id: payment.visitorId,
  session_id: payment.sessionId,
  timestamp: payment.paidAt.toISOString(),
  source: payment.source,
})

/** Tells the endpoints of the site of a new payment, and of its refund when it came with one. */
export async function announcePayment(
  tx: Transaction,
  siteNo: number,
  payment: PaymentRecord,
): Promise<void> {
  const { transactionId, paidAt, visitorId, customer, refundedMinor } = payment
  await announce(tx, siteNo, {
    type: 'payment.paid',
    key: transactionId,
    at: paidAt,
    graceMs: PROCESSOR_GRACE_MS,
    data: { ...dataOf(payment), refunded_amount: refundedMinor },
    visitorId,
    customer,
  })
  const since = newsOf(tx)?.since
  // A payment that an import has found comes with its refund.
  if (since !== undefined && paidAt.getTime() + PROCESSOR_GRACE_MS < since.getTime()) return
  if (refundedMinor > 0) await announceRefund(tx, siteNo, payment, refundedMinor)
}

/** @param refundedMinor all that was refunded of the payment so far, minor units */
export async function announceRefund(
  tx: Transaction,
  siteNo: number,
  payment: PaymentRecord,
  refundedMinor: number,
): Promise<void> {
  const { transactionId, visitorId, customer } = payment
  await announce(tx, siteNo, {
    type: 'payment.refunded',
    key: `${transactionId}/${refundedMinor}`,
    data: { ...dataOf(payment), refunded_amount: refundedMinor },
    visitorId,
    customer,
  })
}

import { statement, type Transaction } from '../infra/db.ts'
import type { PaymentRecord } from './payment.ts'

const selectFirst = statement<{ id: string; paidAt: Date }>('select-first-payments')
const setFirst = statement<{ at: Date }>('set-first-of-customer')

type Customer = Pick<PaymentRecord, 'currency' | 'customer'>

/** Returns the name of the lock that protects the choice of a customer's first payment. */
export const customerLock = (siteNo: number, { currency, customer }: Customer) =>
  `customer/${siteNo}/${currency}/${customer}`

/**
 * Updates the first-payment marks in the ledger after a payment of the customer was added or deleted: only the first payment
 * in a currency has the mark. The ledger row of the added payment need not exist yet.
 * @returns id of the first payment, and the times of the rows whose mark changed
 */
export async function settleFirstPayment(
  tx: Transaction,
  siteNo: number,
  { currency, customer }: Customer,
): Promise<{ firstId: string | undefined; changed: Date[] }> {
  // An older payment can only have been the first before if it is the first or second now.
  const earliest = await selectFirst(tx, siteNo, currency, customer)
  const changed: Date[] = []
  for (const [index, { id, paidAt }] of earliest.entries()) {
    const [news] = await setFirst(tx, siteNo, paidAt, id, index === 0)
    if (news) changed.push(news.at)
  }
  return { firstId: earliest[0]?.id, changed }
}

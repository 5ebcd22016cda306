import { statement, type Transaction } from '../infra/db.ts'
import type { PaymentRecord } from './payment.ts'

const selectFirst = statement<{ id: string; paidAt: Date }>('select-first-payments')
const setFirst = statement<{ at: Date }>('set-first-of-customer')

type Customer = Pick<PaymentRecord, 'currency' | 'customer'>

/** Name of the lock under which it is decided which payment of a customer is the first. */
export const customerLock = (siteNo: number, { currency, customer }: Customer) =>
  `customer/${siteNo}/${currency}/${customer}`

/**
 * Sets the marks in the ledger right after a payment of the customer was added or taken away: the first in its currency
 * has one, no other does. The payment's own row need not be there yet.
 * @returns id of the first payment, and the times at which marks were changed
 */
export async function settleFirstPayment(
  tx: Transaction,
  siteNo: number,
  { currency, customer }: Customer,
): Promise<{ firstId: string | undefined; changed: Date[] }> {
  // Of those that were there before, only the one that is first or second now can have been first.
  const earliest = await selectFirst(tx, siteNo, currency, customer)
  const changed: Date[] = []
  for (const [index, { id, paidAt }] of earliest.entries()) {
    const [news] = await setFirst(tx, siteNo, paidAt, id, index === 0)
    if (news) changed.push(news.at)
  }
  return { firstId: earliest[0]?.id, changed }
}

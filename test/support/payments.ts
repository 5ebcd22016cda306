import { randomUUID } from 'node:crypto'
import type { NewPayment } from '../../src/money/ledger/payment.ts'
import { recordPayment } from '../../src/money/ledger/record-payment.ts'
import type { Db } from '../../src/platform/db/connect.ts'

type Fields = Pick<NewPayment, 'paidAt'> & Partial<NewPayment>

/** A payment of 49.99 USD that is known under an id of its own, except for what is given. */
export const newPayment = (fields: Fields): NewPayment => ({
  ...{ transactionId: randomUUID(), amountMinor: 4_999, currency: 'USD', source: 'api' },
  ...{ renewal: false, refunded: false, isFreeTrial: false, recurring: false },
  ...fields,
})

/** Records a payment of any amount that the ledger holds. The API takes at most 10^12, so sums beyond 2^53 would need thousands. */
export const recordNewPayment = (db: Db, site: { siteNo: number }, fields: Fields) =>
  db.begin(tx => recordPayment(tx, site, newPayment(fields)))

import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/db/connect.ts'
import type { NewPayment } from '../../src/revenue/ledger/payment.ts'
import { recordPayment } from '../../src/revenue/ledger/record-payment.ts'

/** Records a payment of any amount that the ledger holds. The API takes at most 10^12, so sums beyond 2^53 would need thousands. */
export const recordLargePayment = (
  db: Db,
  site: { siteNo: number },
  payment: Pick<NewPayment, 'amountMinor' | 'paidAt'> & Partial<NewPayment>,
) =>
  db.begin(tx =>
    recordPayment(tx, site, {
      ...{ transactionId: randomUUID(), currency: 'USD', source: 'api' },
      ...{ renewal: false, refunded: false, isFreeTrial: false, recurring: false },
      ...payment,
    }),
  )

import { randomUUID } from 'node:crypto'
import type { NewPayment } from '../../src/money/ledger/payment.ts'
import { recordPayment } from '../../src/money/ledger/record-payment.ts'
import type { Db } from '../../src/platform/db/connect.ts'

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

import type { View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { isPayment, selectMoney } from './shared/select-money.ts'

/** A customer whose first payment lies in a bucket. */
export interface FirstPayer {
  /** Key of the customer. */
  customer: string
  bucket: number
}

/**
 * Lists the customers whose first payment, refunded or not, passes the filters, by its bucket.
 * @param asked.bounds of the buckets, Unix milliseconds, one more than buckets
 */
export function listFirstPayers(
  view: View,
  question: Question,
  { currency, bounds }: { currency: string; bounds: readonly number[] },
): FirstPayer[] {
  const { money, texts } = view
  const buckets = new Buckets(bounds)
  return selectMoney(view, question, currency)
    .rows.filter(row => isPayment(view, row) && money.isFirst[row] === 1)
    .map(row => ({
      customer: texts.of('customer').text(money.customer[row]!),
      bucket: buckets.of(money.at[row]!),
    }))
    .filter(({ bucket }) => bucket >= 0)
}

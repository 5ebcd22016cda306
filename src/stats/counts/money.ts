import type { View } from '../../storage/columns/block.ts'
import type { MovementTotals, RevenueTotals } from '../../storage/rollups/protocol.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Pairs } from './shared/distinct.ts'
import { type OfValue, selectMoneyOfValue } from './shared/of-value.ts'
import { isPayment } from './shared/select-money.ts'

/** Money of a bucket, minor units. */
export interface MoneyCounts {
  revenue: RevenueTotals
  movements: MovementTotals
  /** Distinct customers of payments that are not wholly refunded. */
  payingCustomers: number
}

/**
 * Counts payments and MRR movements of consecutive buckets. Neither filters nor the currency apply to `recorded`: it says whether there are
 * payments at all.
 * @param asked.bounds of the buckets, Unix milliseconds, one more than buckets
 */
export function countMoney(
  view: View,
  question: Question,
  { currency, bounds, ...of }: { currency: string; bounds: readonly number[] } & OfValue,
): MoneyCounts[] {
  const { money } = view
  const buckets = new Buckets(bounds)
  const counts = Array.from(
    { length: buckets.count },
    (): MoneyCounts => ({
      revenue: { recorded: 0, payments: 0, revenue: 0n, recurring: 0n, newCustomers: 0 },
      movements: { mrr: 0n, mrrAtEnd: 0n },
      payingCustomers: 0,
    }),
  )
  for (let row = 0; row < money.count; row++) {
    const bucket = isPayment(view, row) ? buckets.of(money.at[row]!) : -1
    if (bucket >= 0) counts[bucket]!.revenue.recorded += 1
  }
  const paying = new Pairs()
  let mrrAtEnd = 0n
  for (const row of selectMoneyOfValue(view, question, currency, of)) {
    const amount = money.amount[row]!
    const bucket = buckets.of(money.at[row]!)
    if (!isPayment(view, row)) {
      if (bucket >= 0) counts[bucket]!.movements.mrr += amount
      else if (money.at[row]! < bounds[0]!) mrrAtEnd += amount
      continue
    }
    if (bucket < 0) continue
    const { revenue } = counts[bucket]!
    revenue.revenue += amount
    if (money.isRecurring[row] === 1) revenue.recurring += amount
    if (money.isFirst[row] === 1) revenue.newCustomers += 1
    if (amount <= 0n) continue
    revenue.payments += 1
    if (money.customer[row] !== 0) paying.add(bucket, money.customer[row]!)
  }
  const customers = paying.countDistinct(buckets.count, view.texts.of('customer').size)
  for (const [bucket, of] of counts.entries()) {
    mrrAtEnd += of.movements.mrr
    of.movements.mrrAtEnd = mrrAtEnd
    of.payingCustomers = customers[bucket]!
  }
  return counts
}

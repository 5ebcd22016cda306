import type { Page } from '../../platform/schema/pagination.ts'
import type { View } from '../../storage/columns/block.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import type { ChangeKind } from '../money/mrr-changes.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { isPayment, selectMoney } from './shared/select-money.ts'

/** MRR changes of a kind in a bucket. */
export interface KindOfBucket {
  /** −1: before the first. */
  bucket: number
  kind: ChangeKind
  /** Minor units. */
  amount: bigint
  changes: number
}

/** Customers and subscriptions with MRR above 0. */
export interface Subscribed {
  customers: number
  subscriptions: number
}

/**
 * Adds up the MRR changes of customers by bucket and kind, and counts who has MRR, from the movements that the filters keep.
 * @param asked.bounds of the buckets, Unix milliseconds, one more than buckets
 * @param asked.times at which it counts who has MRR, Unix milliseconds
 */
export function countMrr(
  view: View,
  question: Question,
  { currency, bounds, times }: { currency: string; bounds: readonly number[]; times: readonly number[] },
): { kinds: KindOfBucket[]; subscribed: Subscribed[] } {
  const movements = movementsOf(view, question, currency)
  const buckets = new Buckets(bounds)
  const kinds = new Map<string, KindOfBucket>()
  for (const { at, kind, amount } of changesOf(view, movements)) {
    const bucket = buckets.of(at)
    if (bucket < 0 && at >= bounds[0]!) continue
    const of = kinds.get(`${bucket} ${kind}`) ?? { bucket, kind, amount: 0n, changes: 0 }
    kinds.set(`${bucket} ${kind}`, of)
    of.amount += amount
    of.changes += 1
  }
  const customers = countWithMrr(view, movements, view.money.customer, times)
  const subscriptions = countWithMrr(view, movements, view.money.subscription, times)
  return {
    kinds: [...kinds.values()],
    subscribed: times.map((_, index) => ({
      customers: customers[index]!,
      subscriptions: subscriptions[index]!,
    })),
  }
}

export interface MrrChange {
  /** Key of the customer. */
  customer: string
  /** Unix milliseconds. */
  at: number
  /** Minor units, not 0. */
  amount: bigint
  kind: ChangeKind
}

/** Lists a page of the MRR changes in the range, the newest first, those of one time by the key of the customer. */
export function listMrrChanges(
  view: View,
  question: Question,
  { currency, limit, offset }: { currency: string; limit: number; offset: number },
): Page<MrrChange> {
  const all = changesOf(view, movementsOf(view, question, currency)).filter(({ at }) => at >= question.start)
  all.sort((a, b) => b.at - a.at || compareTexts(a.customer, b.customer))
  return { rows: all.slice(offset, offset + limit), total: all.length }
}

/** Returns the positions of the movements before the end of the range that the filters keep. */
export const movementsOf = (view: View, question: Question, currency: string): number[] =>
  selectMoney(view, question, currency).rows.filter(row => !isPayment(view, row))

/**
 * Returns what is kept of the changes of customers (docs/metrics.md "MRR change of a customer"): movements of a customer at one time are
 * netted, under the kind of the whole change.
 */
export function changesOf({ money, texts }: View, movements: readonly number[]): MrrChange[] {
  const amounts = new Map<string, { row: number; amount: bigint }>()
  for (const row of movements) {
    const key = `${money.customer[row]} ${money.at[row]}`
    const amount = (amounts.get(key)?.amount ?? 0n) + money.amount[row]!
    amounts.set(key, { row, amount })
  }
  const customers = texts.of('customer')
  const kinds = texts.of('mrr_change')
  return [...amounts.values()]
    .filter(({ amount }) => amount !== 0n)
    .map(({ row, amount }) => ({
      customer: customers.text(money.customer[row]!),
      at: money.at[row]!,
      amount,
      kind: (kinds.text(money.kind[row]!) || (amount > 0n ? 'expansion' : 'contraction')) as ChangeKind,
    }))
}

/** Returns how many customers or subscriptions have MRR above 0 at each of some times. */
function countWithMrr(
  { money }: View,
  movements: readonly number[],
  unitOf: Int32Array,
  times: readonly number[],
): number[] {
  const sorted = movements.toSorted((a, b) => money.at[a]! - money.at[b]!)
  const counts: number[] = new Array(times.length)
  const sums = new Map<number, bigint>()
  let active = 0
  let next = 0
  for (const index of [...times.keys()].sort((a, b) => times[a]! - times[b]!)) {
    for (; next < sorted.length && money.at[sorted[next]!]! < times[index]!; next++) {
      const unit = unitOf[sorted[next]!]!
      const before = sums.get(unit) ?? 0n
      const after = before + money.amount[sorted[next]!]!
      sums.set(unit, after)
      active += Number(after > 0n) - Number(before > 0n)
    }
    counts[index] = active
  }
  return counts
}

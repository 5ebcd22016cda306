import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import type { MoneyBlock, View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { Pairs } from './shared/distinct.ts'
import { type Keys, keysOf } from './shared/keys.ts'
import type { Selected } from './shared/select.ts'
import { isPayment, selectMoney } from './shared/select-money.ts'
import { SessionNos } from './shared/session-nos.ts'

export interface MoneyByValueAsked {
  currency: string
  dimension: BreakdownDimension
  /** Time zone of the site; the hours of `hour_of_week` are its. */
  zone: string
}

/** Money of a value in the range. Amounts are minor units. */
export interface MoneyOfValue {
  value: string
  /** Payments less refunds. */
  revenue: bigint
  /** Payments that are not wholly refunded. */
  payments: number
  /** Distinct customers of these. */
  customers: number
  /** Customers whose first payment is among all of them. */
  newCustomers: number
  /** Sum of the movements. */
  mrr: bigint
}

/**
 * Adds up money by value of a dimension (docs/metrics.md "Money by dimension"), in any order. For a dimension of hits it counts for each value
 * that its session has in a hit that counts. Values without payments whose MRR did not change are absent.
 */
export function countMoneyByValue(
  view: View,
  question: Question,
  { currency, dimension, zone }: MoneyByValueAsked,
): MoneyOfValue[] {
  const { money } = view
  const keys = keysOf(view, dimension, question, zone)
  const { blocks, rows } = selectMoney(view, question, currency)
  const keyOf = keys.ofMoney(money)
  const seen = keyOf ? NOTHING_SEEN : keysSeen(view, blocks, keys)
  const found: (Omit<MoneyOfValue, 'value'> | undefined)[] = new Array(keys.count)
  const paid = new Uint8Array(keys.count)
  const paying = new Pairs()
  for (const row of rows) {
    if (money.at[row]! < question.start) continue
    const amount = money.amount[row]!
    for (const key of keyOf ? [keyOf[row]!] : (seen.get(sessionNoOf(money, row)) ?? [])) {
      found[key] ??= { revenue: 0n, payments: 0, customers: 0, newCustomers: 0, mrr: 0n }
      const of = found[key]
      if (!isPayment(view, row)) {
        of.mrr += amount
        continue
      }
      paid[key] = 1
      of.revenue += amount
      of.newCustomers += money.isFirst[row]!
      if (amount <= 0n) continue
      of.payments += 1
      if (money.customer[row] !== 0) paying.add(key, money.customer[row]!)
    }
  }
  const customers = paying.countDistinct(keys.count, view.texts.of('customer').size)
  return found.flatMap((of, key) =>
    of && (paid[key] === 1 || of.mrr !== 0n)
      ? { ...of, customers: customers[key]!, value: keys.text(key) }
      : [],
  )
}

type Seen = ReadonlyMap<number, ReadonlySet<number>>
const NOTHING_SEEN: Seen = new Map()

const sessionNoOf = ({ session, copies }: MoneyBlock, row: number) => copies.sessions.no[session[row]!]!

/** Returns which values of hits the sessions of money have, by number of the session. */
function keysSeen({ money }: View, blocks: readonly Selected[], keys: Keys): Seen {
  const wanted = new SessionNos()
  wanted.add(money.copies.sessions.no)
  const seen = new Map<number, Set<number>>()
  for (const block of blocks) {
    if (block.isService) continue
    const { count, no, firstHit } = block.sessions
    const keyOf = keys.ofHits(block)
    for (let session = 0; session < count; session++) {
      const number = no[session]!
      if (!wanted.has(number)) continue
      const keysOfSession = new Set<number>()
      for (let hit = firstHit[session]!; hit < firstHit[session + 1]!; hit++) {
        if (block.inRange[hit] === 1) keysOfSession.add(keyOf[hit]!)
      }
      seen.set(number, keysOfSession)
    }
  }
  return seen
}

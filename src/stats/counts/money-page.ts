import type { View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { type OfValue, selectMoneyOfValue } from './shared/of-value.ts'
import { widenToMoments } from './shared/pages.ts'
import { isPayment } from './shared/select-money.ts'

/** Which payments are listed: those that are not wholly refunded, the recurring ones of them, or the first ones of customers. */
export type WantedPayments = 'kept' | 'recurring' | 'first'

/** What names payments or movements in the ledger. Columns have no ids, which order those of one moment. */
export interface MoneyKey {
  /** Unix milliseconds. */
  at: number
  /** 0 without a session. */
  sessionNo: number
}

/**
 * Finds a page of the payments or MRR movements in the range, the newest first: all at `until`, and `limit` more with all of their moments.
 * @param asked.until time of the row behind which the page begins, Unix milliseconds
 */
export function findMoney(
  view: View,
  question: Question,
  {
    currency,
    wanted,
    until = Number.POSITIVE_INFINITY,
    limit,
    ...of
  }: {
    currency: string
    wanted: WantedPayments | 'movements'
    until?: number | undefined
    limit: number
  } & OfValue,
): MoneyKey[] {
  const { money } = view
  const isWanted = (row: number) => {
    if (wanted === 'movements') return !isPayment(view, row) && money.at[row]! >= question.start
    if (!isPayment(view, row)) return false
    if (wanted === 'first') return money.isFirst[row] === 1
    return money.amount[row]! > 0n && (wanted === 'kept' || money.isRecurring[row] === 1)
  }
  const listed = selectMoneyOfValue(view, question, currency, of).filter(
    row => money.at[row]! <= until && isWanted(row),
  )
  listed.sort((a, b) => money.at[b]! - money.at[a]!)
  const atUntil = listed.filter(row => money.at[row] === until).length
  const { to } = widenToMoments(
    listed.map(row => money.at[row]!),
    { limit: atUntil + limit, offset: 0 },
  )
  const keys = new Map<string, { at: number; sessionNo: number }>()
  for (const row of listed.slice(0, to)) {
    const key = { at: money.at[row]!, sessionNo: money.copies.sessions.no[money.session[row]!]! }
    keys.set(`${key.at} ${key.sessionNo}`, key)
  }
  return [...keys.values()]
}

import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { type MoneyBlock, SESSION_DIMENSIONS } from './block.ts'
import { buildBlock, type Numbering } from './build-block.ts'
import { noVitals } from './build-vitals.ts'
import { copiesOf, type Found, noHits } from './read-rows.ts'
import type { Span } from './spans.ts'
import type { Texts } from './texts.ts'

/** Money as it is read: an array for each column, in any order. */
interface MoneyRows {
  /** 0 without a session. */
  sessionNos: number[]
  /** Values of `SESSION_DIMENSIONS`, in that order. */
  sessionValues: string[][]
  at: number[]
  currencies: string[]
  /** Integers of up to 64 bits. */
  amounts: string[]
  customers: (string | null)[]
  isRecurring: boolean[]
  isFirst: boolean[]
  /** Null for payments. */
  subscriptions: (string | null)[]
  kinds: (string | null)[]
}

const readMoneyColumns = query<{ siteNo: number; start: Date; end: Date }, Found<MoneyRows>>(
  'read-money-columns',
)

/** Reads the payments of a time span and all MRR movements before its end, with copies of their sessions. Call it in a snapshot. */
export async function readMoney(
  tx: Queryable,
  siteNo: number,
  { start, end }: Span,
  numbering: Numbering,
): Promise<MoneyBlock> {
  const [found] = await readMoneyColumns(tx, { siteNo, start: new Date(start), end: new Date(end) })
  return buildMoney(numbering, found?.sessionNos ? found : NO_MONEY)
}

/** Returns the money of a question that needs none. */
export const noMoney = (numbering: Numbering): MoneyBlock => buildMoney(numbering, NO_MONEY)

function buildMoney(numbering: Numbering, rows: MoneyRows): MoneyBlock {
  const sessions = copiesOf(rows)
  const positionOf = new Map(sessions.sessionNos.map((no, position) => [no, position]))
  const numbers = (texts: Texts, column: (string | null)[]) =>
    Int32Array.from(column, text => texts.numberOf(text ?? ''))
  const { texts } = numbering
  return {
    count: rows.sessionNos.length,
    copies: buildBlock(numbering, { sessions, hits: noHits(), vitals: noVitals() }, true),
    session: Int32Array.from(rows.sessionNos, no => positionOf.get(no)!),
    at: Float64Array.from(rows.at),
    currency: numbers(texts.of('currency'), rows.currencies),
    amount: BigInt64Array.from(rows.amounts, BigInt),
    customer: numbers(texts.of('customer'), rows.customers),
    subscription: numbers(texts.of('subscription'), rows.subscriptions),
    kind: numbers(texts.of('mrr_change'), rows.kinds),
    isRecurring: Uint8Array.from(rows.isRecurring, Number),
    isFirst: Uint8Array.from(rows.isFirst, Number),
  }
}

const NO_MONEY: MoneyRows = {
  sessionNos: [],
  sessionValues: SESSION_DIMENSIONS.map(() => []),
  at: [],
  currencies: [],
  amounts: [],
  customers: [],
  isRecurring: [],
  isFirst: [],
  subscriptions: [],
  kinds: [],
}

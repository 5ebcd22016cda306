import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { type MoneyBlock, SESSION_DIMENSIONS } from './block.ts'
import { buildBlock, type Numbering } from './build-block.ts'
import { noVitals } from './build-vitals.ts'
import { lowerBound } from './positions.ts'
import { copiesOf, type Found, noHits, partOf } from './read-rows.ts'
import type { Span } from './spans.ts'
import { SiteTexts, type Texts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** Money as it is read: an array for each column, in order of time. */
export interface MoneyRows {
  /** 0 without a session. */
  sessionNos: number[]
  /** Of the sessions, Unix milliseconds. */
  startedAt: number[]
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

const readMoneyColumns = query<
  { siteNo: number; start: Date; end: Date; withChanging: boolean },
  Found<MoneyRows>
>('read-money-columns')

/**
 * Reads the payments and MRR movements of spans, with copies of their sessions, as one block for each span. Call it in a snapshot.
 * @param spans adjacent, in order of time
 * @param withChanging whether the copies need what may change after a session began; else it is empty
 */
export async function readMoney(
  tx: Queryable,
  siteNo: number,
  spans: readonly Span[],
  numbering: Numbering,
  withChanging: boolean,
): Promise<MoneyBlock[]> {
  const [start, end] = [new Date(spans[0]!.start), new Date(spans.at(-1)!.end)]
  const [found] = await readMoneyColumns(tx, { siteNo, start, end, withChanging })
  if (!found?.sessionNos) return spans.map(() => NO_MONEY)
  return spans.map(span => {
    const [from, to] = [lowerBound(found.at, span.start), lowerBound(found.at, span.end)]
    if (from === to) return NO_MONEY
    const columns = Object.entries(found).map(([name, column]) => [name, partOf(column, from, to)])
    return buildMoney(numbering, Object.fromEntries(columns) as MoneyRows)
  })
}

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

/** What spans without money share, and questions that need none. */
export const NO_MONEY: MoneyBlock = buildMoney(
  { texts: new SiteTexts(), visitors: new VisitorNumbers() },
  {
    sessionNos: [],
    startedAt: [],
    sessionValues: SESSION_DIMENSIONS.map(() => []),
    at: [],
    currencies: [],
    amounts: [],
    customers: [],
    isRecurring: [],
    isFirst: [],
    subscriptions: [],
    kinds: [],
  },
)

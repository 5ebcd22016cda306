import { type BreakdownDimension, isHitDimension } from '../../dimensions/dimensions.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { countMoneyBetween } from '../metrics/money.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { MANY_PAYMENTS } from '../sql/money.ts'

interface AmountRow {
  value: string
  amount: string
}

/** Sums by the value that a dimension of sessions has. */
const bySessionValue = (relation: string, amount: string) =>
  `select value, sum(${amount})::text as amount
  from ${relation}
  where currency = (select currency from params)
  group by value`

/** Sums of the sessions that have a filtered hit with the value. Only hits of sessions with money are grouped. */
const byHitValue = (relation: string, amount: string) =>
  `with session as materialized (
    select session_no, sum(${amount}) as amount
    from ${relation}
    where currency = (select currency from params) and session_no is not null
    group by 1
  )
  select value, sum(amount)::text as amount
  from session
  join (
    select value, session_no
    from filtered_hits
    where not is_service and session_no in (select session_no from session)
    group by 1, 2
  ) as hit using (session_no)
  group by value`

const PAID = 'amount_minor - refunded_minor'

const sumRevenueBySessionValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-revenue-by-session-value',
  ['filtered_payments'],
  bySessionValue('filtered_payments', PAID),
)
const sumRevenueByHitValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-revenue-by-hit-value',
  ['filtered_payments', 'filtered_hits'],
  byHitValue('filtered_payments', PAID),
)
const sumMrrBySessionValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-mrr-by-session-value',
  ['movements_in_range'],
  bySessionValue('movements_in_range', 'amount_minor'),
)
const sumMrrByHitValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-mrr-by-hit-value',
  ['movements_in_range', 'filtered_hits'],
  byHitValue('movements_in_range', 'amount_minor'),
)

export type MoneyKind = 'revenue' | 'mrr'
/** Minor units by value; absent values have 0. */
export type MoneyByValue = Record<MoneyKind, Map<string, bigint>>

/**
 * Returns what the sessions with each value paid in the range, and the sum of the MRR movements that are attributed to them. For a
 * dimension of hits, these are the sessions that have a hit with the value in the range.
 * @param values the only values of interest; undefined for all that have money
 * @param kinds what the caller needs; the others are empty
 */
export async function sumMoneyByValue(
  { reads }: Pick<StatsServices, 'reads'>,
  { currency, timezone }: StatsSite,
  resolved: ResolvedQuery,
  value: BreakdownDimension,
  values: readonly string[] | undefined,
  kinds: readonly MoneyKind[] = ['revenue', 'mrr'],
): Promise<MoneyByValue> {
  if (values?.length === 0) return { revenue: new Map(), mrr: new Map() }
  const { siteNo, start, end } = resolved
  const [found] = await countMoneyBetween(reads, { siteNo, start, end, most: MANY_PAYMENTS })
  const { payments, movements } = found!
  const options = {
    params: { currency },
    value,
    values,
    zone: timezone,
    hasManyPayments: payments >= MANY_PAYMENTS,
    hasManyMovements: movements >= MANY_PAYMENTS,
  }
  const isOfHits = isHitDimension(value)
  const sumRevenue = isOfHits ? sumRevenueByHitValue : sumRevenueBySessionValue
  const sumMrr = isOfHits ? sumMrrByHitValue : sumMrrBySessionValue
  const [revenue, mrr] = await Promise.all([
    payments > 0 && kinds.includes('revenue') ? sumRevenue(reads, resolved, options) : [],
    movements > 0 && kinds.includes('mrr') ? sumMrr(reads, resolved, options) : [],
  ])
  return { revenue: byValue(revenue), mrr: byValue(mrr) }
}

const byValue = (rows: AmountRow[]) => new Map(rows.map(({ value, amount }) => [value, BigInt(amount)]))

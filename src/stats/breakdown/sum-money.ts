import { query } from '../../platform/db/query.ts'
import { type BreakdownDimension, columnOf, type Dimension } from '../../platform/dimensions/dimensions.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'

interface AmountRow {
  value: string
  amount: string
}

type KeptParams = { siteNo: number; start: Date; end: Date; currency: string; column: string }
const sumRevenueByKeptValue = query<KeptParams, AmountRow>(
  'sum-revenue-by-kept-value',
  `select coalesce(money_sessions.session ->> :column::text, '') as value, sum(amount_minor - refunded_minor)::text as amount
  from revenue as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
  group by 1`,
)
const sumMrrByKeptValue = query<KeptParams, AmountRow>(
  'sum-mrr-by-kept-value',
  `select coalesce(money_sessions.session ->> :column::text, '') as value, sum(amount_minor)::text as amount
  from mrr_movements as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
  group by 1`,
)

const hasMoney = query<{ siteNo: number; start: Date; end: Date }, { found: boolean }>(
  'has-money',
  `select
    exists (
      select from revenue where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    ) or exists (
      select from mrr_movements where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    ) as found`,
)

export type MoneyKind = 'revenue' | 'mrr'
const MONEY_KINDS: readonly MoneyKind[] = ['revenue', 'mrr']
const KEPT_SUMS = { revenue: sumRevenueByKeptValue, mrr: sumMrrByKeptValue }

/** Minor units by value; absent values have 0. */
export type MoneyByValue = Record<MoneyKind, Map<string, bigint>>

/**
 * Returns what the sessions with each value paid in the range, and the sum of the MRR movements that are attributed to them. For a
 * dimension of hits, these are the sessions that have a hit with the value in the range.
 * @param kinds what the caller needs; the others may be empty
 */
export async function sumMoneyByValue(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { currency, timezone }: StatsSite,
  resolved: ResolvedQuery,
  dimension: BreakdownDimension,
  kinds: readonly MoneyKind[] = MONEY_KINDS,
): Promise<MoneyByValue> {
  const found: MoneyByValue = { revenue: new Map(), mrr: new Map() }
  const kept = keptPart(resolved)
  const [money] = await hasMoney(services.reads, { siteNo: kept.siteNo, start: kept.start, end: kept.end })
  if (!money!.found) return found
  if (sourceOf('moneyByValue', resolved, dimension) === 'ledger') {
    const { siteNo, start, end } = kept
    for (const kind of kinds) {
      const rows = await KEPT_SUMS[kind](services.reads, {
        siteNo,
        start,
        end,
        currency,
        column: columnOf(dimension as Dimension),
      })
      found[kind] = new Map(rows.map(row => [row.value, BigInt(row.amount)]))
    }
    return found
  }
  const counted = await countAsked(services, kept, 'moneyByValue', { currency, dimension, zone: timezone })
  for (const kind of kinds) found[kind] = new Map(counted.map(row => [row.value, row[kind]]))
  return found
}

import { query } from '../../db/query.ts'
import {
  type BreakdownDimension,
  columnOf,
  type DimensionOf,
  isHitDimension,
  levelOf,
} from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import { sumMoneyByColumns } from '../columns/money.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { countMoneyBetween } from '../metrics/money.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { MANY_PAYMENTS } from '../sql/money.ts'
import { countHits } from '../sql/slices.ts'
import { listMovedVisits, listPayingVisits, sumByVisitValues } from './money-of-visits.ts'

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

const PAID = 'amount_minor - refunded_minor'

const sumRevenueBySessionValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-revenue-by-session-value',
  ['filtered_payments'],
  bySessionValue('filtered_payments', PAID),
)
const sumMrrBySessionValue = filteredQuery<{ currency: string }, AmountRow>(
  'sum-mrr-by-session-value',
  ['movements_in_range'],
  bySessionValue('movements_in_range', 'amount_minor'),
)
/**
 * Sums of the sessions that have a filtered hit with the value, in one scan of the hits for all kinds; null where no session with the
 * value has money of the kind. Only hits of sessions with money are grouped.
 */
const sumMoneyByHitValue = filteredQuery<
  { currency: string; kinds: MoneyKind[] },
  { value: string } & Record<MoneyKind, string | null>
>(
  'sum-money-by-hit-value',
  ['filtered_payments', 'movements_in_range', 'filtered_hits'],
  `with session as materialized (
    select session_no, sum(revenue) as revenue, sum(mrr) as mrr
    from (
      select session_no, currency, 'revenue' as kind, ${PAID} as revenue, null::bigint as mrr from filtered_payments
      union all
      select session_no, currency, 'mrr', null, amount_minor from movements_in_range
    ) as money
    where currency = (select currency from params) and kind = any((select kinds from params)::text[]) and session_no is not null
    group by 1
  )
  select value, sum(revenue)::text as revenue, sum(mrr)::text as mrr
  from session
  join (
    select value, session_no
    from filtered_hits
    where not is_service and session_no in (select session_no from session)
    group by 1, 2
  ) as hit using (session_no)
  group by value`,
)

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

export type MoneyKind = 'revenue' | 'mrr'
const VISITS = { revenue: listPayingVisits, mrr: listMovedVisits }
const SESSION_SUMS = { revenue: sumRevenueBySessionValue, mrr: sumMrrBySessionValue }
const KEPT_SUMS = { revenue: sumRevenueByKeptValue, mrr: sumMrrByKeptValue }

/** Returns whether the sessions of money are kept with the dimension when their own rows are gone. */
const isKept = (value: BreakdownDimension): value is DimensionOf<'session' | 'session-row'> =>
  value !== HOUR_OF_WEEK && ['session', 'session-row'].includes(levelOf(value))

/**
 * Tells whether looking up the hits of each session with money takes less time than a scan of the hits in the range. The embedded
 * database can do nothing else during a scan, so it looks up as many as the planner's estimates allow.
 */
async function isFewForHits(
  { reads, slices }: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  counts: number[],
): Promise<boolean> {
  const most = Math.max(...counts)
  if (slices || most >= MANY_PAYMENTS) return most < MANY_PAYMENTS
  return most * HITS_A_LOOKUP < (await countHits(reads, keptPart(resolved)))
}

/** To look up the hits of so many sessions takes less time than to read the columns of all. */
const FEW_PAYMENTS = 50

/** A lookup takes as long as a scan of so many rows of the columnstore. */
const HITS_A_LOOKUP = 1_000

/** Minor units by value; absent values have 0. */
export type MoneyByValue = Record<MoneyKind, Map<string, bigint>>

/**
 * Returns what the sessions with each value paid in the range, and the sum of the MRR movements that are attributed to them. For a
 * dimension of hits, these are the sessions that have a hit with the value in the range.
 * @param values the only values of interest; undefined for all that have money
 * @param kinds what the caller needs; the others are empty
 */
export async function sumMoneyByValue(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices' | 'counter'>,
  { currency, timezone }: StatsSite,
  resolved: ResolvedQuery,
  value: BreakdownDimension,
  values: readonly string[] | undefined,
  kinds: readonly MoneyKind[] = ['revenue', 'mrr'],
): Promise<MoneyByValue> {
  if (values?.length === 0) return { revenue: new Map(), mrr: new Map() }
  const asked = { currency, dimension: value, zone: timezone }
  const byColumns = await countFiltered(services, resolved, 'moneyByValue', asked)
  if (byColumns) {
    const of = (kind: MoneyKind) => new Map(byColumns.map(row => [row.value, row[kind]]))
    return { revenue: of('revenue'), mrr: of('mrr') }
  }
  const { reads } = services
  const { siteNo, start, end } = keptPart(resolved)
  const [counted] = await countMoneyBetween(reads, { siteNo, start, end, most: MANY_PAYMENTS })
  const { payments, movements } = counted!
  const counts = { revenue: payments, mrr: movements }
  const wanted = kinds.filter(kind => counts[kind] > 0)
  const options = {
    params: { currency },
    value,
    values,
    zone: timezone,
    hasManyPayments: payments >= MANY_PAYMENTS,
    hasManyMovements: movements >= MANY_PAYMENTS,
  }
  const found: MoneyByValue = { revenue: new Map(), mrr: new Map() }
  const isOfHits = isHitDimension(value)
  const isInColumns = isOfHits && wanted.some(kind => counts[kind] > FEW_PAYMENTS)
  const summed = isInColumns && (await sumMoneyByColumns(services, resolved, currency, value, values))
  if (summed) {
    for (const kind of wanted) found[kind] = new Map(summed.map(row => [row.value, row[kind]]))
    return found
  }
  if (
    isOfHits &&
    wanted.length > 0 &&
    (await isFewForHits(
      services,
      resolved,
      wanted.map(kind => counts[kind]),
    ))
  ) {
    const { value: _value, values: _values, ...ofAny } = options
    const lists = await Promise.all(wanted.map(kind => VISITS[kind](reads, resolved, ofAny)))
    const sums = await sumByVisitValues(services, resolved, { value, values }, lists)
    for (const [index, kind] of wanted.entries()) found[kind] = sums[index]!
    return found
  }
  if (isOfHits && wanted.length > 0) {
    const params = { currency, kinds: wanted }
    for (const row of await sumMoneyByHitValue(reads, resolved, { ...options, params })) {
      for (const kind of wanted) if (row[kind] !== null) found[kind].set(row.value, BigInt(row[kind]))
    }
    return found
  }
  const sumBy = (kind: MoneyKind): Promise<AmountRow[]> => {
    if (isKept(value) && isUnfiltered(resolved)) {
      return KEPT_SUMS[kind](reads, { siteNo, start, end, currency, column: columnOf(value) })
    }
    return SESSION_SUMS[kind](reads, resolved, options)
  }
  await Promise.all(
    wanted.map(async kind => {
      found[kind] = new Map((await sumBy(kind)).map(row => [row.value, BigInt(row.amount)]))
    }),
  )
  return found
}

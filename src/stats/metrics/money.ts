import { query } from '../../db/query.ts'
import { readMoney, type SiteMoneyTotals } from '../../money/totals.ts'
import { type MovementTotals, type RevenueTotals, runTask } from '../../rollups/protocol.ts'
import { type Bucket, boundsOf, toWindow } from '../../time/range.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { MANY_PAYMENTS } from '../sql/money.ts'

/** Number of payments and of MRR movements of a site in a range; stops counting at `most`. */
export const countMoneyBetween = query<
  { siteNo: number; start: Date; end: Date; most: number },
  { payments: number; movements: number }
>(
  'count-money-between',
  `select
    (
      select count(*)::int
      from (
        select
        from revenue
        where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
        limit :most::int
      ) as payment
    ) as payments,
    (
      select count(*)::int
      from (
        select
        from mrr_movements
        where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
        limit :most::int
      ) as movement
    ) as movements`,
)

/** Returns whether a range has `MANY_PAYMENTS` or more. */
export async function hasManyPayments(
  { reads }: Pick<StatsServices, 'reads'>,
  { siteNo, start, end }: ResolvedQuery,
): Promise<boolean> {
  const [found] = await countMoneyBetween(reads, { siteNo, start, end, most: MANY_PAYMENTS })
  return found!.payments >= MANY_PAYMENTS
}

/** Returns whether there are as many movements before the end of a range. */
async function hasManyMovementsBefore(
  { reads }: Pick<StatsServices, 'reads'>,
  { siteNo, end }: ResolvedQuery,
): Promise<boolean> {
  const before = { siteNo, start: new Date(0), end, most: MANY_PAYMENTS }
  const [found] = await countMoneyBetween(reads, before)
  return found!.movements >= MANY_PAYMENTS
}

type RevenueRow = Omit<RevenueTotals, 'revenue' | 'recurring'> & {
  bucket: number
  revenue: string
  recurring: string
}

/**
 * Sums of the filtered payments in `currency`, by the bucket of the payment; buckets as in `count-filtered-hits`. Sums are
 * numeric, sent as text, because they may exceed the integers that JavaScript represents exactly.
 */
export const sumFilteredRevenue = filteredQuery<{ currency: string; bounds: Date[] }, RevenueRow>(
  'sum-filtered-revenue',
  ['filtered_payments'],
  `select
    width_bucket(at, (select bounds from params)) - 1 as bucket,
    count(*) as recorded,
    count(*) filter (where refunded_minor < amount_minor) as payments,
    coalesce(sum(amount_minor - refunded_minor), 0)::text as revenue,
    coalesce(sum(amount_minor - refunded_minor) filter (where is_recurring), 0)::text as recurring,
    count(*) filter (where is_first_of_customer) as "newCustomers"
  from filtered_payments
  where currency = (select currency from params)
  group by 1`,
)

/** Sums of the filtered movements in `currency` by bucket, as text; bucket −1: everything before the first. */
const sumFilteredMovements = filteredQuery<
  { currency: string; bounds: Date[] },
  { bucket: number; mrr: string }
>(
  'sum-filtered-movements',
  ['filtered_movements'],
  `select width_bucket(at, (select bounds from params)) - 1 as bucket, sum(amount_minor)::text as mrr
  from filtered_movements
  where currency = (select currency from params)
  group by 1`,
)

/** A range and the buckets that divide it. */
export interface Period {
  resolved: ResolvedQuery
  buckets: readonly Bucket[]
}

/**
 * Returns revenue and MRR of each bucket of all periods, in their order. Filters apply to the sessions that payments and movements
 * are attributed to. They do not apply to `recorded`, which shows whether there are payments at all.
 */
export async function countMoney(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'counter'>,
  site: StatsSite,
  periods: Period[],
): Promise<SiteMoneyTotals> {
  const windows = periods.flatMap(({ buckets }) => buckets.map(toWindow))
  const all = await readMoney(services.rollups, site, windows)
  if (periods.every(({ resolved }) => isUnfiltered(resolved))) return all
  const recorded = all.periods.reduce((sum, { revenue }) => sum + revenue.recorded, 0)
  const hasManyPayments = recorded >= MANY_PAYMENTS
  const filtered = await Promise.all(
    periods.map(period => countFilteredPeriod(services, site, period, hasManyPayments)),
  )
  const totals = filtered.flat().map(({ revenue, movements }, index) => ({
    revenue: { ...revenue, recorded: all.periods[index]!.revenue.recorded },
    movements,
  }))
  return { isConnected: all.isConnected, periods: totals }
}

/** Returns the payments of each period; filters apply to the sessions that they are attributed to, but not to `recorded`. */
export async function countPayments(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'counter'>,
  { siteNo, currency }: StatsSite,
  periods: ResolvedQuery[],
): Promise<RevenueTotals[]> {
  const windows = periods.map(toWindow)
  const [all] = await runTask(services.rollups, 'countRevenue', [{ siteNo, currency, windows }])
  return Promise.all(
    periods.map(async (resolved, index) => {
      const total = all![index]!
      if (isUnfiltered(resolved)) return total
      const { recorded } = total
      const bounds = edgesOf([resolved])
      const counted = await countFiltered(services, resolved, 'money', { currency, bounds })
      if (counted) return { ...counted[0]!.revenue, recorded }
      const params = { currency, bounds: [resolved.start] }
      const hasManyPayments = recorded >= MANY_PAYMENTS
      const [paid] = await sumFilteredRevenue(services.reads, resolved, { params, hasManyPayments })
      return paid
        ? { ...paid, recorded, revenue: BigInt(paid.revenue), recurring: BigInt(paid.recurring) }
        : { recorded, payments: 0, revenue: 0n, recurring: 0n, newCustomers: 0 }
    }),
  )
}

/** Returns revenue without `recorded`. */
async function countFilteredPeriod(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { currency }: StatsSite,
  { resolved, buckets }: Period,
  hasManyPayments: boolean,
): Promise<{ revenue: Omit<RevenueTotals, 'recorded'>; movements: MovementTotals }[]> {
  if (buckets.length === 0) return []
  const counted = await countFiltered(services, resolved, 'money', { currency, bounds: edgesOf(buckets) })
  if (counted) return counted
  const { reads } = services
  const many = { hasManyPayments, hasManyMovements: await hasManyMovementsBefore(services, resolved) }
  const params = { currency, bounds: boundsOf(buckets) }
  const [payments, movements] = await Promise.all([
    sumFilteredRevenue(reads, resolved, { params, ...many }),
    sumFilteredMovements(reads, resolved, { params, ...many }),
  ])
  const paidIn = new Map(payments.map(row => [row.bucket, row]))
  const movedIn = new Map(movements.map(row => [row.bucket, BigInt(row.mrr)]))
  const none = { recorded: 0, payments: 0, revenue: '0', recurring: '0', newCustomers: 0 }
  let mrrAtEnd = movedIn.get(-1) ?? 0n
  return buckets.map((_, index) => {
    const paid = paidIn.get(index) ?? none
    const mrr = movedIn.get(index) ?? 0n
    mrrAtEnd += mrr
    return {
      revenue: { ...paid, revenue: BigInt(paid.revenue), recurring: BigInt(paid.recurring) },
      movements: { mrr, mrrAtEnd },
    }
  })
}

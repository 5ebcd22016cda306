import { statement } from '../infra/db.ts'
import { readMoney, type SiteMoneyTotals } from '../revenue/numbers.ts'
import type { MovementTotals, RevenueTotals } from '../rollups/protocol.ts'
import { type Dimension, isHitDimension } from './filters/dimensions.ts'
import { MANY_PAYMENTS } from './filters/money.ts'
import { isUnfiltered, readFiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import type { StatsServices, StatsSite } from './question.ts'
import { type Bucket, toWindow } from './time/range.ts'

const countPayments = statement<{ payments: number }>('count-payments-between')

/** A range and the buckets that divide it. */
interface Part {
  scope: Scope
  buckets: readonly Bucket[]
}

/**
 * Returns revenue and MRR of each bucket of all parts, in their order. Filters apply to the sessions that payments and movements
 * are attributed to. They do not apply to `recorded`, which shows whether there are payments at all.
 */
export async function countMoney(
  services: Pick<StatsServices, 'reads' | 'rollups'>,
  site: StatsSite,
  parts: Part[],
): Promise<SiteMoneyTotals> {
  const windows = parts.flatMap(({ buckets }) => buckets.map(toWindow))
  const all = await readMoney(services.rollups, site, windows)
  if (parts.every(({ scope }) => isUnfiltered(scope))) return all
  const recorded = all.periods.reduce((sum, { revenue }) => sum + revenue.recorded, 0)
  const kept = await Promise.all(
    parts.map(part => countKeptMoney(services.reads, site, part, recorded >= MANY_PAYMENTS)),
  )
  const periods = kept.flat().map(({ revenue, movements }, index) => ({
    revenue: { ...revenue, recorded: all.periods[index]!.revenue.recorded },
    movements,
  }))
  return { isConnected: all.isConnected, periods }
}

type RevenueRow = Omit<RevenueTotals, 'revenue' | 'recurring'> & {
  bucket: number
  revenue: string
  recurring: string
}

async function countKeptMoney(
  reads: StatsServices['reads'],
  { currency }: StatsSite,
  { scope, buckets }: Part,
  hasManyPayments: boolean,
): Promise<{ revenue: RevenueTotals; movements: MovementTotals }[]> {
  if (buckets.length === 0) return []
  const asked = { currency, bounds: buckets.map(({ start }) => start) }
  const [payments, movements] = await Promise.all([
    readFiltered<RevenueRow>(reads, 'sum-filtered-revenue', scope, { asked, hasManyPayments }),
    readFiltered<{ bucket: number; mrr: string }>(reads, 'sum-filtered-movements', scope, { asked }),
  ])
  const paidIn = new Map(payments.map(row => [row.bucket, row]))
  const movedIn = new Map(movements.map(row => [row.bucket, BigInt(row.mrr)]))
  let mrrAtEnd = movedIn.get(-1) ?? 0n
  return buckets.map((_, index) => {
    const paid = paidIn.get(index)
    const mrr = movedIn.get(index) ?? 0n
    mrrAtEnd += mrr
    return {
      revenue: {
        recorded: paid?.recorded ?? 0,
        payments: paid?.payments ?? 0,
        revenue: BigInt(paid?.revenue ?? 0),
        recurring: BigInt(paid?.recurring ?? 0),
        newCustomers: paid?.newCustomers ?? 0,
      },
      movements: { mrr, mrrAtEnd },
    }
  })
}

/**
 * Returns revenue in the range by value of a dimension, minor units. For a dimension of hits, it is the revenue of the sessions
 * that have a hit with the value.
 */
export async function breakDownRevenue(
  { reads }: Pick<StatsServices, 'reads'>,
  { currency }: StatsSite,
  scope: Scope,
  value: Dimension,
  values: string[],
): Promise<Map<string, bigint>> {
  const [found] = await countPayments(reads, scope.siteNo, scope.start, scope.end, MANY_PAYMENTS)
  if (values.length === 0 || found!.payments === 0) return new Map()
  const name = isHitDimension(value) ? 'break-down-hit-revenue' : 'break-down-session-revenue'
  const rows = await readFiltered<{ value: string; revenue: string }>(reads, name, scope, {
    asked: { currency, values },
    value,
    hasManyPayments: found!.payments >= MANY_PAYMENTS,
  })
  return new Map(rows.map(row => [row.value, BigInt(row.revenue)]))
}

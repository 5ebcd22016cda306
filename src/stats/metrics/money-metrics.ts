import { type Bucket, toWindow } from '../../platform/time/range.ts'
import { type RevenueTotals, runTask } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { readMoney, type SiteMoneyTotals } from './money-totals.ts'

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
  services: Pick<StatsServices, 'rollups' | 'counter'>,
  site: StatsSite,
  periods: Period[],
): Promise<SiteMoneyTotals> {
  const windows = periods.flatMap(({ buckets }) => buckets.map(toWindow))
  const reading = readMoney(services.rollups, site, windows)
  if (periods.every(({ resolved }) => sourceOf('money', resolved) === 'buckets')) return reading
  const [all, ...filtered] = await Promise.all([
    reading,
    ...periods.map(({ resolved, buckets }) =>
      countAsked(services, resolved, 'money', { currency: site.currency, bounds: edgesOf(buckets) }),
    ),
  ])
  const totals = filtered.flat().map(({ revenue, movements }, index) => ({
    revenue: { ...revenue, recorded: all.periods[index]!.revenue.recorded },
    movements,
  }))
  return { isConnected: all.isConnected, periods: totals }
}

/** Returns the payments of each period; filters apply to the sessions that they are attributed to, but not to `recorded`. */
export async function countPayments(
  services: Pick<StatsServices, 'rollups' | 'counter'>,
  { siteNo, currency }: StatsSite,
  periods: ResolvedQuery[],
): Promise<RevenueTotals[]> {
  const windows = periods.map(toWindow)
  const [[all], ...filtered] = await Promise.all([
    runTask(services.rollups, 'countRevenue', [{ siteNo, currency, windows }]),
    ...periods.map(resolved =>
      sourceOf('money', resolved) === 'columns'
        ? countAsked(services, resolved, 'money', { currency, bounds: edgesOf([resolved]) })
        : undefined,
    ),
  ])
  return all!.map((total, index) => {
    const counted = filtered[index]?.[0]
    return counted ? { ...counted.revenue, recorded: total.recorded } : total
  })
}

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
  if (periods.every(({ resolved }) => sourceOf('money', resolved) === 'buckets')) {
    return readMoney(
      services.rollups,
      site,
      periods.flatMap(({ buckets }) => buckets.map(toWindow)),
    )
  }
  const [{ isConnected }, ...counted] = await Promise.all([
    readMoney(services.rollups, site, []),
    ...periods.map(({ resolved, buckets }) => countFiltered(services, site, resolved, buckets)),
  ])
  return { isConnected, periods: counted.flat() }
}

/** Returns the payments of each period; filters apply to the sessions that they are attributed to, but not to `recorded`. */
export async function countPayments(
  services: Pick<StatsServices, 'rollups' | 'counter'>,
  site: StatsSite,
  periods: ResolvedQuery[],
): Promise<RevenueTotals[]> {
  if (periods.every(period => sourceOf('money', period) === 'buckets')) {
    const { siteNo, currency } = site
    const [all] = await runTask(services.rollups, 'countRevenue', [
      { siteNo, currency, windows: periods.map(toWindow) },
    ])
    return all!
  }
  const counted = await Promise.all(periods.map(period => countFiltered(services, site, period, [period])))
  return counted.flat().map(({ revenue }) => revenue)
}

const countFiltered = (
  { counter }: Pick<StatsServices, 'counter'>,
  { currency }: StatsSite,
  resolved: ResolvedQuery,
  buckets: readonly Bucket[],
) => countAsked({ counter }, resolved, 'money', { currency, bounds: edgesOf(buckets) })

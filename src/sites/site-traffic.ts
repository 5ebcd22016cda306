import { percentChange } from '../lib/numbers.ts'
import { capped } from '../money/amounts.ts'
import { runTask } from '../rollups/protocol.ts'
import type { Services } from '../services.ts'
import { type ListPeriod, listWindow } from '../time/list-window.ts'
import { toWindow } from '../time/range.ts'

export interface SiteTraffic {
  visitors: number
  /** Change in percent from the window of equal length just before. */
  change: number
  /** Visitors of each bucket of the period. */
  sparkline: number[]
  /** Payments minus refunds, minor units of the site's currency. */
  revenue: bigint
  /** As `revenue`, at most 2^53 − 1: a larger value in one bucket must not make the whole list fail. */
  revenueSparkline: number[]
}

interface ListedSite {
  siteNo: number
  timezone: string
  currency: string
  /** Whether at least one payment was recorded; without one, revenue is not read. */
  hasPayments: boolean
}

/** Returns the traffic of many sites in a period of the site list, each in its own time zone, by `siteNo`. */
export async function getSiteTraffic(
  { rollups, now }: Pick<Services, 'rollups' | 'now'>,
  sites: readonly ListedSite[],
  period: ListPeriod,
): Promise<Map<number, SiteTraffic>> {
  const moment = now()
  const input = sites.map(({ siteNo, timezone, ...site }) => {
    const { buckets, previousStart, previousEnd } = listWindow(period, timezone, moment)
    return {
      ...site,
      siteNo,
      buckets: buckets.map(toWindow),
      previous: toWindow({ start: previousStart, end: previousEnd }),
    }
  })
  if (input.length === 0) return new Map()
  const paid = input.filter(site => site.hasPayments)
  const [counted, revenues] = await Promise.all([
    runTask(
      rollups,
      'countSiteVisitors',
      input.map(({ siteNo, buckets, previous }) => ({ siteNo, buckets, previous })),
    ),
    runTask(
      rollups,
      'countRevenue',
      paid.map(({ siteNo, currency, buckets }) => ({ siteNo, currency, windows: buckets })),
    ),
  ])
  const revenueOf = new Map(paid.map(({ siteNo }, index) => [siteNo, revenues[index]!]))
  return new Map(
    counted.map(({ siteNo, visitors, visitorsBefore, sparkline }) => {
      const amounts = revenueOf.get(siteNo)?.map(({ revenue }) => revenue) ?? sparkline.map(() => 0n)
      const total = amounts.reduce((sum, amount) => sum + amount, 0n)
      return [
        siteNo,
        {
          visitors,
          change: percentChange(visitors, visitorsBefore),
          sparkline,
          revenue: total,
          revenueSparkline: amounts.map(capped),
        },
      ]
    }),
  )
}

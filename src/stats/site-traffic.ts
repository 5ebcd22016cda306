import type { Services } from '../infra/services.ts'
import { runTask } from '../rollups/protocol.ts'
import { type ListPeriod, listWindow } from './list-window.ts'
import { percentChange } from './numbers.ts'

export interface SiteTraffic {
  visitors: number
  /** Percent against the window of equal length just before. */
  change: number
  /** Visitors of each bucket of the period. */
  sparkline: number[]
}

/** Traffic of many sites in a period of the list, each in its own time zone, by `siteNo`. */
export async function getSiteTraffic(
  { rollups, now }: Pick<Services, 'rollups' | 'now'>,
  sites: readonly { siteNo: number; timezone: string }[],
  period: ListPeriod,
): Promise<Map<number, SiteTraffic>> {
  const moment = now()
  const input = sites.map(({ siteNo, timezone }) => {
    const { buckets, previousStart, previousEnd } = listWindow(period, timezone, moment)
    return {
      siteNo,
      buckets: buckets.map(({ start, end }) => ({ start: start.getTime(), end: end.getTime() })),
      previous: { start: previousStart.getTime(), end: previousEnd.getTime() },
    }
  })
  const counted = input.length === 0 ? [] : await runTask(rollups, 'countSiteVisitors', input)
  return new Map(
    counted.map(({ siteNo, visitors, visitorsBefore, sparkline }) => [
      siteNo,
      { visitors, change: percentChange(visitors, visitorsBefore), sparkline },
    ]),
  )
}

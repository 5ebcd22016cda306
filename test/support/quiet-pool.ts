import type { Pool } from '../../src/infra/pool.ts'
import type { SiteVisitors, SiteWindows, Tasks, TrafficTotals } from '../../src/rollups/protocol.ts'

/** Stands for the rollup threads where nothing was ever counted. */
export const quietPool: Pool = poolOf({})

/** Stands for the rollup threads where the sites, by `siteNo`, had so many visitors. */
export function poolOf(visitors: Record<number, number>): Pool {
  return {
    async run(task, input) {
      if (task === 'countSiteVisitors') {
        return (input as SiteWindows[]).map(({ siteNo, buckets }): SiteVisitors => {
          const count = visitors[siteNo] ?? 0
          return { siteNo, visitors: count, visitorsBefore: 0, sparkline: buckets.map(() => count) }
        })
      }
      return (input as Tasks['countTraffic']['input']).windows.map(
        (): TrafficTotals => ({
          pageviews: 0,
          customEvents: 0,
          visitors: 0,
          sessions: 0,
          bounces: 0,
          durationMs: 0,
        }),
      )
    },
    async close() {},
  }
}

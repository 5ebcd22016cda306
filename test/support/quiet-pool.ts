import type {
  Movements,
  RevenueTotals,
  SiteMoney,
  SiteVisitors,
  SiteWindows,
  Tasks,
  TrafficTotals,
} from '../../src/rollups/protocol.ts'
import type { Pool } from '../../src/threads/pool.ts'

/** Stands for the rollup threads where nothing was ever counted. */
export const quietPool: Pool = {
  async run(task, input) {
    if (task === 'countSiteVisitors') {
      return (input as SiteWindows[]).map(
        ({ siteNo, buckets }): SiteVisitors => ({
          ...{ siteNo, visitors: 0, visitorsBefore: 0 },
          sparkline: buckets.map(() => 0),
        }),
      )
    }
    if (task === 'countRevenue') {
      return (input as SiteMoney[]).map(({ windows }) =>
        windows.map(
          (): RevenueTotals => ({ recorded: 0, payments: 0, revenue: 0n, recurring: 0n, newCustomers: 0 }),
        ),
      )
    }
    if (task === 'countMovements') {
      const { windows } = input as SiteMoney
      return {
        isConnected: false,
        windows: windows.map(() => ({ mrr: 0n, mrrAtEnd: 0n })),
      } satisfies Movements
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

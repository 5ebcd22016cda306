import { z } from 'zod'
import type { Services } from '../infra/services.ts'
import { moneyFields, presentMoney, readMoney } from '../revenue/numbers.ts'
import { runTask, type TrafficTotals } from '../rollups/protocol.ts'
import { ratio } from './numbers.ts'
import { previousRange, type Range, RangeQuery, resolveRange } from './range.ts'

export const OverviewQuery = RangeQuery

const trafficFields = {
  pageviews: z.int(),
  visitors: z.int(),
  sessions: z.int(),
  views_per_visit: z.number(),
  bounce_rate: z.number(),
  avg_session_seconds: z.number(),
  custom_events: z.int(),
}

const Metrics = z.object({ ...trafficFields, ...moneyFields })
type Traffic = Omit<z.infer<typeof Metrics>, keyof typeof moneyFields>

/** @see spec.md "Site overview object" */
export const Overview = z.object({
  kpi: z.object({
    metric: z.literal('mrr'),
    label: z.literal('MRR change'),
    currency: z.string(),
    static: z.literal(false),
  }),
  ...Metrics.shape,
  days: z.int(),
  previous: Metrics,
})
export type Overview = z.infer<typeof Overview>

interface Site {
  siteNo: number
  timezone: string
  currency: string
  firstEventAt: Date | null
}

/** What a site's range counts, and the same number of days just before. */
export async function getOverview(
  { rollups, now }: Pick<Services, 'rollups' | 'now'>,
  site: Site,
  query: RangeQuery,
): Promise<Overview> {
  const range = resolveRange(query, { zone: site.timezone, now: now(), firstEventAt: site.firstEventAt })
  const windows = [range, previousRange(range)].map(windowOf)
  const [traffic, totals] = await Promise.all([
    runTask(rollups, 'countTraffic', { siteNo: site.siteNo, windows }),
    readMoney(rollups, site, windows),
  ])
  const [current, previous] = traffic
  const [money, moneyBefore] = presentMoney(
    totals,
    traffic.map(({ visitors }) => visitors),
  )
  return {
    kpi: { metric: 'mrr', label: 'MRR change', currency: site.currency, static: false },
    ...present(current!),
    ...money,
    days: range.days,
    previous: { ...present(previous!), ...moneyBefore },
  }
}

const windowOf = ({ start, end }: Range) => ({ start: start.getTime(), end: end.getTime() })

/** The one place where totals become metrics (contract §6). */
function present(totals: TrafficTotals): Traffic {
  return {
    pageviews: totals.pageviews,
    visitors: totals.visitors,
    sessions: totals.sessions,
    views_per_visit: ratio(totals.pageviews, totals.sessions, 2),
    bounce_rate: ratio(100 * totals.bounces, totals.sessions, 2),
    avg_session_seconds: ratio(totals.durationMs, 1000 * totals.sessions, 2),
    custom_events: totals.customEvents,
  }
}

import { z } from 'zod'
import { NO_TRAFFIC, type TrafficTotals } from '../rollups/protocol.ts'
import { StatsQuery } from './filters/query.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { buckets } from './range.ts'
import { countTraffic, presentTraffic } from './traffic.ts'

const METRICS = [
  'visitors',
  'pageviews',
  'sessions',
  'bounce_rate',
  'views_per_visit',
  'avg_session_seconds',
  'custom_events',
] as const

export const TimeseriesQuery = StatsQuery.safeExtend({
  metric: z.enum(METRICS).meta({ description: 'A metric of the overview.' }),
})
export type TimeseriesQuery = z.infer<typeof TimeseriesQuery>

export const Group = z.enum(['hour', 'day', 'week', 'month']).meta({ description: 'Size of the buckets.' })

export const Labels = z.array(z.string()).meta({
  description: "Where each bucket begins, with the site's UTC offset.",
  example: ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00'],
})

/**
 * `values` and `previous` are aligned with `labels`: the first bucket of the period before stands beside the first label.
 * Where it has fewer (months and changes of clocks differ), 0 stands in its place.
 */
export const Timeseries = z.object({
  labels: Labels,
  values: z.array(z.number()).meta({ description: 'The metric in each bucket.', example: [61, 67] }),
  previous: z
    .array(z.number())
    .meta({ description: 'The metric in each bucket of the period before.', example: [58, 70] }),
  group: Group,
})
export type Timeseries = z.infer<typeof Timeseries>

/** One metric of the overview in each bucket of the range. */
export async function getTimeseries(
  services: StatsServices,
  site: StatsSite,
  query: TimeseriesQuery,
): Promise<Timeseries> {
  const { range, before, scope, scopeBefore } = await readQuestion(services, site, query)
  const [current, previous] = [buckets(range), buckets(before)]
  const [totals, totalsBefore] = await Promise.all([
    countTraffic(services, scope, current),
    countTraffic(services, scopeBefore, previous),
  ])
  const measure = (bucket: TrafficTotals) => presentTraffic(bucket)[query.metric]
  return {
    labels: current.map(({ label }) => label),
    values: totals.map(measure),
    previous: current.map((_, index) => measure(totalsBefore[index] ?? NO_TRAFFIC)),
    group: range.group,
  }
}

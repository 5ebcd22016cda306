import { z } from 'zod'
import { exactMinor } from '../revenue/numbers.ts'
import type { TrafficPart } from '../rollups/protocol.ts'
import { StatsQuery } from './filters/query.ts'
import type { Scope } from './filters/scope.ts'
import { countMoney } from './money.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { buckets, type LabelledBucket, seriesBuckets } from './time/range.ts'
import { countTraffic, presentTraffic } from './traffic.ts'

/** Parts of the traffic totals that each metric needs. */
const TRAFFIC_METRICS = {
  visitors: ['hits'],
  pageviews: ['hits'],
  sessions: ['sessions'],
  bounce_rate: ['sessions'],
  views_per_visit: ['hits', 'sessions'],
  avg_session_seconds: ['sessions'],
  custom_events: ['hits'],
} satisfies Record<string, TrafficPart[]>
type TrafficMetric = keyof typeof TRAFFIC_METRICS
const trafficMetrics = Object.keys(TRAFFIC_METRICS) as TrafficMetric[]
const MONEY_METRICS = ['revenue', 'mrr'] as const
type MoneyMetric = (typeof MONEY_METRICS)[number]

export const TimeseriesQuery = StatsQuery.safeExtend({
  metric: z.enum([...trafficMetrics, ...MONEY_METRICS]).meta({ description: 'A metric of the overview.' }),
})
export type TimeseriesQuery = z.infer<typeof TimeseriesQuery>

export const Group = z.enum(['hour', 'day', 'week', 'month']).meta({ description: 'Size of the buckets.' })

export const Labels = z.array(z.string()).meta({
  description: "Where each bucket begins, with the site's UTC offset.",
  example: ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00'],
})

/**
 * `values` and `previous` are aligned with `labels`: the first bucket of the previous period belongs to the first label.
 * If the previous period has fewer buckets (different months, clock changes), the missing values are 0.
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

/** Returns one metric of the overview for each bucket of the range. */
export async function getTimeseries(
  services: StatsServices,
  site: StatsSite,
  query: TimeseriesQuery,
): Promise<Timeseries> {
  const { range, before, scope, scopeBefore } = await readQuestion(services, site, query)
  const parts = [
    { scope, buckets: seriesBuckets(range) },
    { scope: scopeBefore, buckets: buckets(before) },
  ]
  const { metric } = query
  const [values, previous] = isMoney(metric)
    ? await countMoneyMetric(services, site, parts, metric)
    : await Promise.all(parts.map(part => countTrafficMetric(services, part, metric)))
  const labels = parts[0]!.buckets.map(({ label }) => label)
  return {
    labels,
    values: values!,
    previous: labels.map((_, index) => previous![index] ?? 0),
    group: range.group,
  }
}

interface Part {
  scope: Scope
  buckets: LabelledBucket[]
}

const isMoney = (metric: TrafficMetric | MoneyMetric): metric is MoneyMetric =>
  MONEY_METRICS.some(name => name === metric)

async function countTrafficMetric(services: StatsServices, { scope, buckets }: Part, metric: TrafficMetric) {
  const totals = await countTraffic(services, scope, buckets, TRAFFIC_METRICS[metric])
  return totals.map(bucket => presentTraffic(bucket)[metric])
}

/** The MRR metric is the change of MRR, as in the overview. */
async function countMoneyMetric(
  services: StatsServices,
  site: StatsSite,
  parts: Part[],
  metric: MoneyMetric,
): Promise<number[][]> {
  const { periods } = await countMoney(services, site, parts)
  const amounts = periods.map(({ revenue, movements }) =>
    exactMinor(metric === 'revenue' ? revenue.revenue : movements.mrr),
  )
  const first = parts[0]!.buckets.length
  return [amounts.slice(0, first), amounts.slice(first)]
}

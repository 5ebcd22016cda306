import { z } from 'zod'
import { capped } from '../../platform/schema/amounts.ts'
import { Comparison, checkComparison, compareFields } from '../../platform/time/comparison.ts'
import { buckets, groupField, seriesBuckets } from '../../platform/time/range.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { presentTogether } from '../imported/combine.ts'
import { findFamilies, withImportedStart } from '../imported/families.ts'
import { Imported, importedField } from '../imported/imported-answer.ts'
import { byBucket, type ImportedTraffic, readImportedTraffic } from '../imported/imported-traffic.ts'
import { countMoney, type Period } from '../metrics/money-metrics.ts'
import { countTraffic } from '../metrics/traffic-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'

const TRAFFIC_METRICS = [
  'visitors',
  'pageviews',
  'sessions',
  'bounce_rate',
  'views_per_visit',
  'avg_session_seconds',
  'custom_events',
] as const
type TrafficMetric = (typeof TRAFFIC_METRICS)[number]

export const TimeseriesQuery = StatsQuery.safeExtend({
  metric: z.enum([...TRAFFIC_METRICS, 'revenue', 'mrr']).meta({ description: 'A metric of the overview.' }),
  ...groupField,
  ...compareFields,
  ...importedField,
}).superRefine(checkComparison)
export type TimeseriesQuery = z.infer<typeof TimeseriesQuery>

export const Group = z.enum(['hour', 'day', 'week', 'month']).meta({ description: 'Size of the buckets.' })

export const Labels = z.array(z.string()).meta({
  description: "Where each bucket begins, with the site's UTC offset.",
  example: ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00'],
})

/**
 * `values` and `previous` are aligned with `labels`: the first bucket of the previous period belongs to the first label.
 * If the previous period has fewer buckets (different months, clock changes), the missing values are 0. `previous_labels` are its
 * own buckets, fewer or more.
 */
export const Timeseries = z.object({
  labels: Labels,
  values: z.array(z.number()).meta({ description: 'The metric in each bucket.', example: [61, 67] }),
  previous: z
    .array(z.number())
    .meta({ description: 'The metric in each bucket of the period before.', example: [58, 70] }),
  previous_labels: Labels.optional().meta({
    description: 'Where each bucket of the compared period begins. There when the request has `compare`.',
    example: ['2026-03-27T00:00:00+01:00', '2026-03-28T00:00:00+01:00'],
  }),
  comparison: Comparison.optional(),
  imported: Imported.optional(),
  group: Group,
})
export type Timeseries = z.infer<typeof Timeseries>

/**
 * Returns one metric of the overview for each bucket of the range.
 * @throws AppError `forbidden` for a metric of a section that the reader may not see
 */
export async function getTimeseries(
  services: StatsServices,
  site: StatsSite,
  query: TimeseriesQuery,
): Promise<Timeseries> {
  const { metric } = query
  const isMoney = metric === 'revenue' || metric === 'mrr'
  requireSection(services.grant, isMoney ? 'revenue' : 'traffic')
  const families = query.imported ? await findFamilies(services.reads, site) : undefined
  const { range, rangeBefore, filters, resolved, resolvedBefore, comparison } = await resolveContext(
    services,
    families ? withImportedStart(site, families) : site,
    query,
  )
  const all = seriesBuckets(range)
  // Without `compare`, the previous period has as many days as the range: its buckets are about as many.
  const before = comparison ? seriesBuckets(rangeBefore, fieldToShorten(query)) : buckets(rangeBefore)
  const periods = [
    { resolved, buckets: all },
    { resolved: resolvedBefore, buckets: before },
  ]
  const hasParts = range.group === 'hour'
  const imported =
    families &&
    (await Promise.all(
      [range, rangeBefore].map(period =>
        readImportedTraffic(services, site, families, {
          range: period,
          filters,
          metrics: [metric],
          hasParts,
        }),
      ),
    ))
  const [values, previous] = isMoney
    ? await countMoneyMetric(services, site, periods, metric)
    : await Promise.all(
        periods.map((period, index) =>
          countTrafficMetric(services, period, metric, imported?.[index], site.timezone),
        ),
      )
  const labels = all.map(({ label }) => label)
  return {
    labels,
    values: values!,
    previous: labels.map((_, index) => previous![index] ?? 0),
    ...(comparison && { previous_labels: before.map(({ label }) => label), comparison }),
    ...(imported && { imported: { ...imported[0]!.note, previous: imported[1]!.note } }),
    group: range.group,
  }
}

const fieldToShorten = ({ compare, group }: TimeseriesQuery) =>
  compare === 'custom' ? 'compare_from' : group ? 'group' : 'from'

async function countTrafficMetric(
  services: StatsServices,
  { resolved, buckets }: Period,
  metric: TrafficMetric,
  imported: ImportedTraffic | undefined,
  zone: string,
) {
  const totals = await countTraffic(services, resolved, buckets)
  const sums = imported ? byBucket(imported.byDay, zone, buckets) : []
  return totals.map((bucket, index) => presentTogether(bucket, sums[index])[metric])
}

/** The MRR metric is the change of MRR, as in the overview. */
async function countMoneyMetric(
  services: StatsServices,
  site: StatsSite,
  periods: Period[],
  metric: 'revenue' | 'mrr',
): Promise<number[][]> {
  const totals = await countMoney(services, site, periods)
  const amounts = totals.periods.map(({ revenue, movements }) =>
    capped(metric === 'revenue' ? revenue.revenue : movements.mrr),
  )
  const first = periods[0]!.buckets.length
  return [amounts.slice(0, first), amounts.slice(first)]
}

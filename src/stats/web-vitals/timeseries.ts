import { z } from 'zod'
import type { Vital } from '../../dimensions/vitals.ts'
import { boundsOf, groupField, type LabelledBucket, seriesBuckets } from '../../time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { StatsQuery } from '../filters/query.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { Group, Labels } from '../reports/timeseries.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import { metricField } from './fields.ts'
import { groupRows, type Measured, type PackedMeasures, summarize, unpack } from './measures.ts'

export const WebVitalsTimeseriesQuery = StatsQuery.safeExtend({ ...metricField, ...groupField })
export type WebVitalsTimeseriesQuery = z.infer<typeof WebVitalsTimeseriesQuery>

const percentiles = (which: string, example: (number | null)[]) =>
  z
    .array(z.number().nullable())
    .meta({ description: `${which} of each bucket; null without samples.`, example })

/** @see docs/metrics.md "Web Vitals" */
export const WebVitalsTimeseries = z.object({
  labels: Labels,
  samples: z
    .array(z.int())
    .meta({ description: 'Reports with the metric in each bucket.', example: [61, 0] }),
  p50: percentiles('Median', [1_320, null]),
  p75: percentiles('75th percentile', [2_180, null]),
  p95: percentiles('95th percentile', [4_410, null]),
  group: Group,
})
export type WebVitalsTimeseries = z.infer<typeof WebVitalsTimeseries>

/** The measures of one metric, by the bucket of their pageview. */
const countVitalsByBucket = filteredQuery<{ bounds: Date[] }, PackedMeasures & { bucket: number }>(
  'count-vitals-by-bucket',
  ['filtered_vitals'],
  `select
    bucket,
    array_send(array_agg(measure order by measure)) as measures,
    array_send(array_agg(reports order by measure)) as counts
  from (
    select width_bucket(at, (select bounds from params)) - 1 as bucket, measure, count(*)::int as reports
    from filtered_vitals
    group by 1, 2
  ) as counted
  group by bucket`,
)

/** Returns the percentiles of a metric for each bucket of the range. */
export async function getWebVitalsTimeseries(
  services: StatsServices,
  site: StatsSite,
  { metric, ...query }: WebVitalsTimeseriesQuery,
): Promise<WebVitalsTimeseries> {
  const { range, resolved } = await resolveContext(services, site, query)
  const all = seriesBuckets(range)
  const measured =
    all.length === 0
      ? []
      : ((await countAsked(services, keptPart(resolved), 'vitalSeries', { metric, bounds: edgesOf(all) })) ??
        (await countInRows(services, resolved, metric, all)))
  return {
    labels: all.map(({ label }) => label),
    samples: measured.map(({ samples }) => samples),
    p50: measured.map(({ p50 }) => p50),
    p75: measured.map(({ p75 }) => p75),
    p95: measured.map(({ p95 }) => p95),
    group: range.group,
  }
}

async function countInRows(
  services: StatsServices,
  resolved: ResolvedQuery,
  metric: Vital,
  buckets: readonly LabelledBucket[],
): Promise<Measured[]> {
  const params = { bounds: boundsOf(buckets) }
  const rows = await readSlices(services, countVitalsByBucket, resolved, { vital: { metric }, params })
  const byBucket = groupRows(rows, row => row.bucket)
  return buckets.map((_, bucket) => summarize(metric, unpack(byBucket.get(bucket) ?? [])))
}

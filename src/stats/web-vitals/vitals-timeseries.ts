import { z } from 'zod'
import { groupField, seriesBuckets } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { Group, Labels } from '../reads/timeseries.ts'
import { metricField } from './vitals-fields.ts'

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
      : await countAsked(services, keptPart(resolved), 'vitalSeries', { metric, bounds: edgesOf(all) })
  return {
    labels: all.map(({ label }) => label),
    samples: measured.map(({ samples }) => samples),
    p50: measured.map(({ p50 }) => p50),
    p75: measured.map(({ p75 }) => p75),
    p95: measured.map(({ p95 }) => p95),
    group: range.group,
  }
}

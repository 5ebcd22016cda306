import { z } from 'zod'
import { requiredText } from '../../platform/schema/validation.ts'
import { groupField, seriesBuckets } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { checkStats, statsFields } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { Group, Labels } from './timeseries.ts'

export const PageTitleTimeseriesQuery = z
  .object({
    ...statsFields,
    ...groupField,
    title: requiredText(2_048).meta({ description: 'Exactly the title.', example: 'Pricing' }),
  })
  .superRefine(checkStats)
export type PageTitleTimeseriesQuery = z.infer<typeof PageTitleTimeseriesQuery>

/** @see docs/metrics.md "Page titles" */
export const PageTitleTimeseries = z.object({
  labels: Labels,
  values: z.array(z.int()).meta({ description: 'Sessions in each bucket.', example: [26, 28] }),
  group: Group,
})
export type PageTitleTimeseries = z.infer<typeof PageTitleTimeseries>

/** Returns the number of sessions that saw a title, by the bucket in which they started. */
export async function getPageTitleTimeseries(
  services: StatsServices,
  site: StatsSite,
  { title, ...query }: PageTitleTimeseriesQuery,
): Promise<PageTitleTimeseries> {
  const { range, resolved } = await resolveContext(services, site, query)
  const all = seriesBuckets(range)
  const values =
    all.length === 0
      ? []
      : await countAsked(services, keptPart(resolved), 'titleSeries', { title, bounds: edgesOf(all) })
  return { labels: all.map(({ label }) => label), values, group: range.group }
}

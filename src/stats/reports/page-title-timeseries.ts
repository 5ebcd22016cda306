import { z } from 'zod'
import { requiredText } from '../../schema/validation.ts'
import { type Bucket, boundsOf, groupField, seriesBuckets } from '../../time/range.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { checkStats, statsFields } from '../filters/query.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { countTimesRolledUp } from '../metrics/value-times.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
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

/** Sessions that saw each title, by the bucket in which they started; distinct sessions as in rank-filtered-titles.sql. */
const countTitlesByBucket = filteredQuery<
  { bounds: Date[] },
  { title: string; bucket: number; sessions: number }
>(
  'count-titles-by-bucket',
  ['session_hits'],
  `select title, bucket, (select count(distinct session_no) from unnest(session_nos) as session_no) as sessions
  from (
    select
      title,
      width_bucket(session_at, (select bounds from params)) - 1 as bucket,
      array_agg(session_no) as session_nos
    from session_hits
    group by 1, 2
  ) as counted`,
)

/** Returns the number of sessions that saw a title, by the bucket in which they started. */
export async function getPageTitleTimeseries(
  services: StatsServices,
  site: StatsSite,
  { title, ...query }: PageTitleTimeseriesQuery,
): Promise<PageTitleTimeseries> {
  const { range, resolved } = await resolveContext(services, site, query)
  const all = seriesBuckets(range)
  const subject = { dimension: 'title', value: title } as const
  const values =
    all.length === 0
      ? []
      : ((await countFiltered(services, resolved, 'titleSeries', {
          title,
          bounds: edgesOf(all),
        })) ??
        (await countTimesRolledUp(services, resolved, subject, all)) ??
        (await countRows(services, resolved, title, all)))
  return { labels: all.map(({ label }) => label), values, group: range.group }
}

async function countRows(
  services: StatsServices,
  resolved: ResolvedQuery,
  title: string,
  buckets: readonly Bucket[],
): Promise<number[]> {
  const values = buckets.map(() => 0)
  const options = { params: { bounds: boundsOf(buckets) }, titles: [title] }
  const rows = await readSlices(services, countTitlesByBucket, resolved, options)
  for (const { bucket, sessions } of rows) values[bucket]! += sessions
  return values
}

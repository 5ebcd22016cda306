import { z } from 'zod'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { EVENT_TYPES, type EventType } from '../../dimensions/event-types.ts'
import { type LogEnd, readLogEnd } from '../../rollups/recent/recent-log.ts'
import { boundsOf, groupField, type Range, seriesBuckets } from '../../time/range.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { StatsQuery } from '../filters/query.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'
import { typesField, typesOf } from './event-log.ts'
import { Group, Labels } from './timeseries.ts'

export const EventsTimeseriesQuery = StatsQuery.safeExtend({ ...typesField, ...groupField })
export type EventsTimeseriesQuery = z.infer<typeof EventsTimeseriesQuery>

/** @see docs/metrics.md "Events over time" */
export const EventsTimeseries = z.object({
  labels: Labels,
  types: z
    .array(z.enum(EVENT_TYPES))
    .meta({ description: 'What `series` holds.', example: ['pageview', 'event'] }),
  series: z.partialRecord(z.enum(EVENT_TYPES), z.array(z.int())).meta({
    description: 'Events in each bucket, by type.',
    example: { pageview: [180, 240], event: [12, 9] },
  }),
  group: Group,
})
export type EventsTimeseries = z.infer<typeof EventsTimeseries>

/** Returns the number of events of each type in each bucket of the range. */
export async function getEventsTimeseries(
  services: StatsServices,
  site: StatsSite,
  query: EventsTimeseriesQuery,
): Promise<EventsTimeseries> {
  const { range, resolved } = await resolveContext(services, site, query, { listsEvents: true })
  return countTypes(services, resolved, range, { types: typesOf(query.types) })
}

/**
 * Returns the series of those of `types` that occur in the range.
 * @param options.errorId only occurrences of this error; all hits when it is left out
 */
export async function countTypes(
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  resolved: ResolvedQuery,
  range: Range,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<EventsTimeseries> {
  const all = seriesBuckets(range)
  const rows =
    all.length === 0 ? [] : await countByBucket(services, resolved, { bounds: boundsOf(all), types }, errorId)
  const occurring = types.filter(type => rows.some(row => row.type === type))
  const series: EventsTimeseries['series'] = {}
  for (const type of occurring) series[type] = all.map(() => 0)
  for (const { bucket, type, hits } of rows) series[type]![bucket] = hits
  return { labels: all.map(({ label }) => label), types: occurring, series, group: range.group }
}

interface TypeCount {
  bucket: number
  type: EventType
  hits: number
}

/** Hits of some types by bucket and type, from counts by 15-minute bucket. `bucket` counts, from 0, the buckets of `bounds`. */
const countLogTypes = query<
  LogEnd & { siteNo: number; start: Date; end: Date; bounds: Date[]; types: string[] },
  TypeCount
>('count-log-types')

/** Hits of `types` by bucket and type; buckets as in `count-filtered-hits`. */
const countFilteredTypes = filteredQuery<{ bounds: Date[]; types: string[] }, TypeCount>(
  'count-filtered-types',
  ['filtered_hits'],
  `select width_bucket(at, (select bounds from params)) - 1 as bucket, type, count(*) as hits
  from filtered_hits
  where type = any((select types from params)::text[])
  group by 1, 2`,
)

/** Without filters, reads the aggregate; with filters, counts the hits themselves. */
async function countByBucket(
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  resolved: ResolvedQuery,
  params: { bounds: Date[]; types: EventType[] },
  errorId?: string,
): Promise<TypeCount[]> {
  if (isUnfiltered(resolved) && errorId === undefined) {
    const { siteNo, start, end } = resolved
    return inSnapshot(services.reads, async tx => {
      const logEnd = await readLogEnd(tx, siteNo, { start: start.getTime(), end: end.getTime() })
      return countLogTypes(tx, { siteNo, start, end, ...params, ...logEnd })
    })
  }
  const ends = params.bounds.map(at => at.getTime())
  const counted = await countFiltered(services, resolved, 'types', {
    bounds: [...ends, Math.max(resolved.end.getTime(), ends.at(-1)!)],
    types: params.types,
    errorId,
  })
  if (counted) return counted
  const rows = await readSlices(services, countFilteredTypes, resolved, { params, errorId })
  return mergeSlices(rows, ({ bucket, type }) => `${bucket} ${type}`)
}

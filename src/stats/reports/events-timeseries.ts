import { z } from 'zod'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { EVENT_TYPES, type EventType } from '../../dimensions/event-types.ts'
import { type LogEnd, readLogEnd } from '../../rollups/log-end.ts'
import { boundsOf, groupField, type Range, seriesBuckets } from '../../time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { TypeCount } from '../counts/frequencies.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { StatsQuery } from '../filters/query.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
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
  const types = typesOf(query.types)
  const counted = isUnfiltered(resolved)
    ? await countByAggregate(services, resolved, range, types)
    : await countTypes(services, resolved, range, { types })
  return presentTypes(range, types, counted)
}

/** Returns the series of those of `types` that occur in the range. */
export function presentTypes(range: Range, types: EventType[], counted: TypeCount[]): EventsTimeseries {
  const all = seriesBuckets(range)
  const occurring = types.filter(type => counted.some(row => row.type === type))
  const series: EventsTimeseries['series'] = {}
  for (const type of occurring) series[type] = all.map(() => 0)
  for (const { bucket, type, hits } of counted) series[type]![bucket] = hits
  return { labels: all.map(({ label }) => label), types: occurring, series, group: range.group }
}

/** Hits of some types by bucket and type, from counts by 15-minute bucket. `bucket` counts, from 0, the buckets of `bounds`. */
const countLogTypes = query<
  LogEnd & { siteNo: number; start: Date; end: Date; bounds: Date[]; types: string[] },
  TypeCount
>('count-log-types')

async function countByAggregate(
  { reads }: Pick<StatsServices, 'reads'>,
  { siteNo, start, end }: ResolvedQuery,
  range: Range,
  types: EventType[],
): Promise<TypeCount[]> {
  const bounds = boundsOf(seriesBuckets(range))
  if (bounds.length === 0) return []
  return inSnapshot(reads, async tx => {
    const logEnd = await readLogEnd(tx, siteNo, { start: start.getTime(), end: end.getTime() })
    return countLogTypes(tx, { siteNo, start, end, bounds, types, ...logEnd })
  })
}

/** Counts hits by bucket of the range and type, over columns. */
export async function countTypes(
  services: Pick<StatsServices, 'counter'>,
  resolved: ResolvedQuery,
  range: Range,
  asked: { types: EventType[]; errorId?: string },
): Promise<TypeCount[]> {
  const buckets = seriesBuckets(range)
  if (buckets.length === 0) return []
  return countAsked(services, keptPart(resolved), 'types', { bounds: edgesOf(buckets), ...asked })
}

import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import {
  type Bucket,
  boundsOf,
  groupField,
  type Range,
  seriesBuckets,
  type TimeSpan,
  toWindow,
} from '../../platform/time/range.ts'
import type { Window } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { TypeCount } from '../counts/frequencies.ts'
import { Buckets, edgesOf } from '../counts/shared/buckets.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { countTypesOfParts, type TypesOfPart } from '../metrics/types-by-day.ts'
import { sourceOf } from '../planner.ts'
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
  const counted =
    sourceOf('hits', resolved) === 'rollups'
      ? await countAll(services, resolved, range, types)
      : await countTypes(services, resolved, range, { types })
  return presentTypes(range, types, counted)
}

/** Returns the series of those of `types` that occur in the range. */
export function presentTypes(range: Range, types: EventType[], counted: TypeCount[]): EventsTimeseries {
  const all = seriesBuckets(range)
  const occurring = types.filter(type => counted.some(row => row.type === type && row.hits > 0))
  const series: EventsTimeseries['series'] = {}
  for (const type of occurring) series[type] = all.map(() => 0)
  for (const { bucket, type, hits } of counted) if (hits > 0) series[type]![bucket]! += hits
  return { labels: all.map(({ label }) => label), types: occurring, series, group: range.group }
}

/** Hits of days without details, by bucket of `bounds`, from 0, and type. */
const countKeptTypes = query<
  { siteNo: number; start: Date; end: Date; bounds: Date[]; types: string[] },
  TypeCount
>(
  'count-kept-types',
  `select width_bucket(bucket, :bounds::timestamptz[]) - 1 as bucket, type, sum(hits::bigint)::bigint as hits
  from kept_hit_buckets
  cross join lateral jsonb_each_text(types) as of_type (type, hits)
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
    and type = any(:types::text[])
  group by 1, 2`,
)

/** Counts all hits of the range; a bucket may have several counts of a type. Daily rollups answer for buckets of whole days. */
async function countAll(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  range: Range,
  types: EventType[],
): Promise<TypeCount[]> {
  const buckets = seriesBuckets(range)
  if (buckets.length === 0) return []
  const kept = keptPart(resolved)
  const windows = windowsOf(buckets, kept)
  const [gone, parts] = await Promise.all([
    countGone(services, resolved, boundsOf(buckets), types),
    windows.length > 0 ? countTypesOfParts(services, kept, windows, types) : [],
  ])
  const present = parts
    ? byBucket(parts, edgesOf(buckets))
    : await countUntilRolledUp(services, resolved, 'types', { bounds: edgesOf(buckets), types })
  return [...gone, ...present]
}

async function countGone(
  { reads }: Pick<StatsServices, 'reads'>,
  { siteNo, start, end, detailsFrom }: ResolvedQuery,
  bounds: Date[],
  types: EventType[],
): Promise<TypeCount[]> {
  if (!detailsFrom || detailsFrom <= start) return []
  return countKeptTypes(reads, { siteNo, start, end: detailsFrom < end ? detailsFrom : end, bounds, types })
}

/** Returns the parts of buckets that lie in a span. */
function windowsOf(buckets: readonly Bucket[], span: TimeSpan): Window[] {
  const { start, end } = toWindow(span)
  return buckets
    .map(toWindow)
    .map(bucket => ({ start: Math.max(bucket.start, start), end: Math.min(bucket.end, end) }))
    .filter(window => window.start < window.end)
}

function byBucket(parts: readonly TypesOfPart[], bounds: readonly number[]): TypeCount[] {
  const buckets = new Buckets(bounds)
  return parts.flatMap(({ start, types }) =>
    Object.entries(types).map(([type, hits]) => ({
      bucket: buckets.of(start),
      type: type as EventType,
      hits,
    })),
  )
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

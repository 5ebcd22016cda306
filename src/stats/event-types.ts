import { z } from 'zod'
import { statement } from '../infra/db.ts'
import { text } from '../infra/validation.ts'
import { EVENT_TYPES, type EventType } from '../ingestion/hit.ts'
import { StatsQuery } from './filters/query.ts'
import { isUnfiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import { boundsOf, readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { type Range, seriesBuckets } from './time/range.ts'
import { Group, Labels } from './timeseries.ts'

export const typesField = {
  types: z
    .union([text(2_048), z.array(text(2_048)).max(500)])
    .optional()
    .meta({
      description:
        'Which types, with commas between; unknown ones are passed over, and all are meant without any.',
      openapi: {
        schema: { type: 'array', items: { type: 'string', enum: EVENT_TYPES } },
        explode: false,
        example: ['pageview', 'event'],
      },
    }),
}

/** Returns the types in a comma-separated list; all types if the list contains no known type. */
export function typesOf(types: string | string[] | undefined): EventType[] {
  const named = new Set([types ?? []].flat().flatMap(list => list.split(',').map(name => name.trim())))
  const known = EVENT_TYPES.filter(type => named.has(type))
  return known.length > 0 ? known : [...EVENT_TYPES]
}

export const EventsTimeseriesQuery = StatsQuery.safeExtend(typesField)
export type EventsTimeseriesQuery = z.infer<typeof EventsTimeseriesQuery>

/** @see spec.md "GET /stats/events/timeseries" */
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
  const { range, scope } = await readQuestion(services, site, query)
  return countTypes(services, scope, range, { types: typesOf(query.types) })
}

/**
 * Returns the series of those of `types` that occur in the range.
 * @param options.errorId only occurrences of this error; all hits when it is left out
 */
export async function countTypes(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  range: Range,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<EventsTimeseries> {
  const all = seriesBuckets(range)
  const rows = all.length === 0 ? [] : await countByBucket(services, scope, boundsOf(all), types, errorId)
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

const countLogTypes = statement<TypeCount>('count-log-types')

/** Without filters, reads the aggregate; with filters, counts the hits themselves. */
async function countByBucket(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  bounds: Date[],
  types: EventType[],
  errorId?: string,
): Promise<TypeCount[]> {
  if (isUnfiltered(scope) && errorId === undefined) {
    const starts = bounds.map(bound => bound.getTime())
    return countLogTypes(services.reads, scope.siteNo, scope.start, scope.end, starts, types)
  }
  const rows = await readSlices<TypeCount>(services, 'count-filtered-types', scope, {
    asked: { bounds, types },
    errorId,
  })
  return mergeSlices(rows, ({ bucket, type }) => `${bucket} ${type}`)
}

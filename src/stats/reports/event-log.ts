import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../ingestion/hit.ts'
import { label, uuid } from '../../schema/fields.ts'
import { type Page, pageFields } from '../../schema/pagination.ts'
import { text } from '../../schema/validation.ts'
import { mayShow } from '../../sharing/grant.ts'
import { actorFields, presentActor } from '../event-log/actor.ts'
import { type LogServices, readLog } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'

/** Query field of the event log and its series. */
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

export const EventLogQuery = StatsQuery.safeExtend({ ...typesField, ...pageFields(50) })
export type EventLogQuery = z.infer<typeof EventLogQuery>

/** @see docs/metrics.md "Event log" */
export const EventLogItem = z
  .object({
    event_type: z.enum(EVENT_TYPES).meta({ description: 'What happened.', example: 'event' }),
    event_name: label('Name of the event, the autocapture or the error; empty for a pageview.', 'signup'),
    ...actorFields,
    properties: z
      .record(z.string(), z.string())
      .meta({ description: 'Properties of your own.', example: { plan: 'team' } }),
    error_id: uuid(
      'Which error it is; null for everything else, and for readers without the section `errors`.',
    )
      .nullable()
      .meta({ example: null }),
  })
  .meta({ id: 'EventLogItem' })
export type EventLogItem = z.infer<typeof EventLogItem>

/** Returns a page of all events in the range, the newest first. */
export async function getEventLog(
  services: LogServices,
  site: StatsSite,
  query: EventLogQuery,
): Promise<Page<EventLogItem>> {
  const { resolved } = await resolveContext(services, site, query, { listsEvents: true })
  const { rows, total } = await readLog(services, resolved, query, { types: typesOf(query.types) })
  return {
    rows: rows.map(row => ({
      event_type: row.type,
      event_name: row.name,
      ...presentActor(row, site.siteNo, services),
      properties: row.props ?? {},
      error_id: row.type === 'error' && mayShow(services.grant, 'errors') ? row.errorId : null,
    })),
    total,
  }
}

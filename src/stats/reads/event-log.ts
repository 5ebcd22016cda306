import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import { type Page, pageFields } from '../../platform/schema/pagination.ts'
import { text } from '../../platform/schema/validation.ts'
import { type EventLogItem, presentEvent } from '../event-log/event-item.ts'
import { type LogServices, readLog } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/stats-query.ts'
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

/** Returns a page of all events in the range, the newest first. */
export async function getEventLog(
  services: LogServices,
  site: StatsSite,
  query: EventLogQuery,
): Promise<Page<EventLogItem>> {
  const { resolved } = await resolveContext(services, site, query, { listsEvents: true })
  const { rows, total } = await readLog(services, resolved, query, { types: typesOf(query.types) })
  return {
    rows: rows.map(row => presentEvent(row, site, services)),
    total,
  }
}

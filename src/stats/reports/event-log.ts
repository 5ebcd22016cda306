import { z } from 'zod'
import { EVENT_TYPES } from '../../ingestion/hit.ts'
import { label, uuid } from '../../schema/fields.ts'
import { type Page, pageFields } from '../../schema/pagination.ts'
import { actorFields, type Presenting, presentActor } from '../event-log/actor.ts'
import { typesField, typesOf } from '../event-log/event-types.ts'
import { type LoggedHit, type LogServices, readLog } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'

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
    error_id: uuid('Which error it is; null for everything else.').nullable().meta({ example: null }),
  })
  .meta({ id: 'EventLogItem' })
export type EventLogItem = z.infer<typeof EventLogItem>

/** Returns a page of all events in the range, the newest first. */
export async function getEventLog(
  services: LogServices,
  site: StatsSite,
  query: EventLogQuery,
): Promise<Page<EventLogItem>> {
  const { resolved } = await resolveContext(services, site, query)
  const { rows, total } = await readLog(services, resolved, query, {
    types: typesOf(query.types),
  })
  return { rows: rows.map(row => presentEvent(row, site.siteNo, services.config)), total }
}

function presentEvent(row: LoggedHit, siteNo: number, config: Presenting): EventLogItem {
  return {
    event_type: row.type,
    event_name: row.name,
    ...presentActor(row, siteNo, config),
    properties: row.props ?? {},
    error_id: row.type === 'error' ? row.errorId : null,
  }
}

import { z } from 'zod'
import { label, uuid } from '../infra/fields.ts'
import { type Page, pageFields } from '../infra/pagination.ts'
import { EVENT_TYPES, type EventType } from '../ingestion/hit.ts'
import { type Actor, actorFields, type Presenting, presentActor } from './actor.ts'
import { typesField, typesOf } from './event-types.ts'
import { StatsQuery } from './filters/query.ts'
import { type LogServices, readLog } from './log-pages.ts'
import { readQuestion, type StatsSite } from './question.ts'

export const EventLogQuery = StatsQuery.safeExtend({ ...typesField, ...pageFields(50) })
export type EventLogQuery = z.infer<typeof EventLogQuery>

/** @see spec.md "Event log item" */
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

interface LoggedEvent extends Actor {
  type: EventType
  name: string
  props: Record<string, string> | null
  errorId: string | null
}

/** Returns a page of all events in the range, the newest first. */
export async function getEventLog(
  services: LogServices,
  site: StatsSite,
  query: EventLogQuery,
): Promise<Page<EventLogItem>> {
  const { scope } = await readQuestion(services, site, query)
  const { rows, total } = await readLog<LoggedEvent>(services, scope, query, {
    types: typesOf(query.types),
  })
  return { rows: rows.map(row => presentEvent(row, site.siteNo, services.config)), total }
}

function presentEvent(row: LoggedEvent, siteNo: number, config: Presenting): EventLogItem {
  return {
    event_type: row.type,
    event_name: row.name,
    ...presentActor(row, siteNo, config),
    properties: row.props ?? {},
    error_id: row.type === 'error' ? row.errorId : null,
  }
}

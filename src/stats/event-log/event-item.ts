import { z } from 'zod'
import { EVENT_TYPES } from '../../platform/dimensions/event-types.ts'
import { label, uuid } from '../../platform/schema/fields.ts'
import { mayShow } from '../sharing/grant.ts'
import { type ActorServices, type ActorSite, actorFields, presentActor } from './actor.ts'
import type { LoggedHit } from './log-pages.ts'

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

/** Returns an event of the log as readers with this grant see it. */
export const presentEvent = (row: LoggedHit, site: ActorSite, services: ActorServices): EventLogItem => ({
  event_type: row.type,
  event_name: row.name,
  ...presentActor(row, site, services),
  properties: row.props ?? {},
  error_id: row.type === 'error' && mayShow(services.grant, 'errors') ? row.errorId : null,
})

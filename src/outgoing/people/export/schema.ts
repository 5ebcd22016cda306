import { z } from 'zod'
import { RecordedEvent } from '../../../ingestion/replays/read-chunk.ts'
import { Payment } from '../../../money/money-schema.ts'
import { SESSION_ATTRIBUTES } from '../../../platform/dimensions/dimensions.ts'
import { EVENT_TYPES } from '../../../platform/dimensions/event-types.ts'
import { count, label, timestamp, uuid } from '../../../platform/schema/fields.ts'

const properties = z
  .record(z.string(), z.string())
  .meta({ description: 'As they were sent.', example: { plan: 'team' } })
const sessionNumber = count('Number of the session.', 1042)
const visitorId = uuid('Visitor.')

const ExportedIdentity = z
  .object({
    identifier: label('Id of the user.', 'user-42'),
    name: label('As it was sent.', 'Ada Lovelace').nullable(),
    avatar: label('As it was sent.', 'https://example.com/ada.png').nullable(),
    custom: properties.nullable(),
    updated_at: timestamp('When it was sent last.'),
  })
  .meta({ id: 'ExportedIdentity' })

const ExportedVisitor = z
  .object({
    visitor_id: visitorId,
    first_seen_at: timestamp('Of the first hit.'),
    sessions: count('Number of sessions, also those of other users.', 3),
    pending_identifier: label('User that waits for the next hit; null usually.', 'user-42').nullable(),
  })
  .meta({ id: 'ExportedVisitor' })

type Attribute = (typeof SESSION_ATTRIBUTES)[number]
const attributes = Object.fromEntries(
  SESSION_ATTRIBUTES.map(name => [name, label('Of the opening hit; empty when unknown.', '')]),
) as Record<Attribute, z.ZodString>

const ExportedSession = z
  .object({
    session: sessionNumber,
    visitor_id: visitorId,
    user_id: label('Identified user; empty when anonymous.', 'user-42'),
    identified_at: timestamp('When the user was identified last.').nullable(),
    started_at: timestamp('Of the opening hit.'),
    first_hit_at: timestamp('Of the earliest hit.'),
    last_hit_at: timestamp('Of the latest hit.'),
    pageviews: count('Number of pageviews.', 3),
    events: count('Number of events.', 1),
    visit_count: count('Which session of the visitor it is, from 1.', 1),
    ...attributes,
  })
  .meta({ id: 'ExportedSession' })

const text = label('Empty or null when there is none.', '').nullable()

const ExportedHit = z
  .object({
    id: uuid('Of the hit.'),
    session: sessionNumber.nullable(),
    visitor_id: visitorId,
    timestamp: timestamp('When it happened.'),
    event_type: z.enum([...EVENT_TYPES, 'engagement', 'identify']).meta({ description: 'What happened.' }),
    event_name: label('Name of the event.', 'signup'),
    hostname: label('Host of the page.', 'example.com'),
    path: label('Path of the page.', '/pricing'),
    url: label('As it was sent.', '/pricing?utm_source=newsletter'),
    title: label('Title of the page.', 'Pricing'),
    properties,
    scroll: z.int().nullable().meta({ description: 'Percent, of engagement.', example: 80 }),
    engaged_ms: z.int().nullable().meta({ description: 'Milliseconds, of engagement.', example: 1_200 }),
    revenue_minor: z.int().nullable().meta({ description: 'Reported revenue, minor units.', example: 4_999 }),
    revenue_currency: text,
    error_id: uuid('Which error it is.').nullable(),
    error_message: text,
    error_stack: text,
    error_file: text,
    error_line: text,
    error_column: text,
  })
  .meta({ id: 'ExportedHit' })

const milliseconds = z.int().nullable().meta({ description: 'Milliseconds.', example: 1_180 })
const element = label('Element that decided the value; empty when unknown.', '#hero > img')
const phase = label('The longest part of the time; empty when unknown.', 'element_render_delay')

const ExportedWebVitals = z
  .object({
    id: uuid('Of the report.'),
    session: sessionNumber,
    timestamp: timestamp('Of the pageview.'),
    received_at: timestamp('When the report came.'),
    hostname: label('Host of the page.', 'example.com'),
    path: label('Path of the page.', '/pricing'),
    lcp: milliseconds,
    inp: milliseconds,
    cls: z.number().nullable().meta({ description: 'Sum of layout shifts.', example: 0.0213 }),
    fcp: milliseconds,
    ttfb: milliseconds,
    lcp_target: element,
    inp_target: element,
    cls_target: element,
    lcp_phase: phase,
    inp_phase: phase,
    fcp_phase: phase,
    ttfb_phase: phase,
  })
  .meta({ id: 'ExportedWebVitals' })

const ExportedReplayChunk = z
  .object({
    id: uuid('Of the chunk.'),
    session: sessionNumber,
    timestamp: timestamp('When it came.'),
    recording: uuid('Of the page.'),
    position: count('Number of the chunk in its recording, from 0.', 0),
    hostname: label('Host of the page.', 'example.com'),
    path: label('Path of the page.', '/pricing'),
    events: z.array(RecordedEvent).meta({ description: 'As they were recorded.' }),
  })
  .meta({ id: 'ExportedReplayChunk' })

const ExportedServiceEvent = z
  .object({
    id: uuid('Of the event.'),
    timestamp: timestamp('When it happened.'),
    event_name: label('What the service wrote.', 'payment'),
    properties,
  })
  .meta({ id: 'ExportedServiceEvent' })

/** @see docs/api.md "People" */
export const PersonExport = z
  .object({
    person: label('As it was asked for.', 'user-42'),
    identities: z.array(ExportedIdentity).meta({ description: 'Users that the person was identified as.' }),
    visitors: z.array(ExportedVisitor).meta({ description: 'Visitors that the person was.' }),
    sessions: z.array(ExportedSession).meta({ description: 'In order of their starts.' }),
    hits: z.array(ExportedHit).meta({ description: 'Session by session, then those without one.' }),
    web_vitals: z.array(ExportedWebVitals).meta({ description: 'How fast pages were, the oldest first.' }),
    replays: z.array(ExportedReplayChunk).meta({
      description: 'What was recorded of the sessions, in the order of receipt; few chunks a page.',
    }),
    payments: z.array(Payment).meta({ description: 'Payments of the person, the oldest first.' }),
    service_events: z
      .array(ExportedServiceEvent)
      .meta({ description: 'Events that the service wrote for payments and subscriptions.' }),
    next_cursor: label('For the next page; null on the last one.', 'eyJwYXJ0IjoidmlzaXRzIn0').nullable(),
  })
  .meta({ id: 'PersonExport' })
export type PersonExport = z.infer<typeof PersonExport>

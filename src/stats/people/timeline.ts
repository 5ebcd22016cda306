import { z } from 'zod'
import { EVENT_TYPES } from '../../platform/dimensions/event-types.ts'
import { count, decimal, label, timestamp } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { sessionIdOf } from '../sessions/session-id.ts'
import { type Grant, mayShow } from '../sharing/grant.ts'
import { findPeopleFilter, noSuchPerson } from './find-person.ts'
import { PersonKey } from './person-schema.ts'
import {
  type EventOfVisit,
  listEvents,
  listMoney,
  listVisits,
  type MoneyOfVisit,
  type Visit,
} from './timeline-rows.ts'

/** Items up to the end of the last page: all of them are read for it. */
const MOST_ITEMS = 10_000

export const TimelineQuery = StatsQuery.safeExtend({ ...PersonKey.shape, ...pageFields(50) }).superRefine(
  ({ page, per_page }, context) => {
    if (page * per_page <= MOST_ITEMS) return
    context.addIssue({
      code: 'custom',
      path: ['page'],
      message: `must lie within the newest ${MOST_ITEMS.toLocaleString('en')} items: ask for an earlier range`,
    })
  },
)
export type TimelineQuery = z.infer<typeof TimelineQuery>

/** In the order of items of one moment, the newest first. */
const KINDS = ['mrr', 'payment', 'event', 'identity', 'session'] as const

/** @see docs/metrics.md "Timeline of a person" */
export const TimelineItem = z
  .object({
    kind: z.enum(KINDS).meta({ description: 'What the item is.', example: 'event' }),
    timestamp: timestamp('When it happened; of a session, when it started.'),
    session_id: label('Its session.', '1hnzvs6o0-3f'),
    visitor_id: label('Visitor of the session.', '0197d0a5-7c3e-7b1a-9f58-2f1c4d6e8a90'),
    user_id: label('User of the session; empty when anonymous.', 'user-42'),
    event_type: z
      .enum(EVENT_TYPES)
      .nullable()
      .meta({ description: 'Of an event, else null.', example: 'event' }),
    name: label(
      'Name of an event; kind of an MRR movement (`start`, `end`, `upgrade`, `downgrade`); else empty.',
      'signup',
    ),
    path: label('Path of an event; of a session, the entry path.', '/pricing'),
    title: label('Title of the page of an event.', 'Pricing'),
    properties: z
      .record(z.string(), z.string())
      .meta({ description: 'Of an event.', example: { plan: 'team' } }),
    source: label('Of a session.', 'Google'),
    pageviews: count('Of a session, else null.', 3).nullable(),
    duration_seconds: decimal('Of a session, else null.', 95.417).nullable(),
    amount: z.int().nullable().meta({
      description:
        'Of a payment, less refunds, or of an MRR movement, in minor units; else null, also beyond 2^53 − 1.',
      example: 4_999,
    }),
    currency: label('Of a payment or an MRR movement, else empty.', 'USD'),
  })
  .meta({ id: 'TimelineItem' })
export type TimelineItem = z.infer<typeof TimelineItem>

/**
 * Returns a page of what a person did in the sessions that started in the range, the newest first.
 * @throws AppError `not_found` for an unknown person; with a share that has filters, also for one without such sessions
 */
export async function getTimeline(
  services: LogServices,
  site: StatsSite,
  { person, ...query }: TimelineQuery,
): Promise<Page<TimelineItem>> {
  const { grant } = services
  const people = await findPeopleFilter(services, site.siteNo, person)
  const { resolved } = await resolveContext(services, site, query)
  const visits = await listVisits(services, resolved, people)
  if (visits.length === 0 && (grant?.filters.length ?? 0) > 0) throw noSuchPerson()
  const { limit, offset } = windowOf(query)
  const wanted = offset + limit
  const none = { rows: [], total: 0 }
  const [events, money] = await Promise.all([
    mayShow(grant, 'events') ? listEvents(services, resolved, visits, wanted) : none,
    mayShow(grant, 'revenue') ? listMoney(services, site.siteNo, visits, wanted) : none,
  ])
  const identified = visits.filter(({ userId, userSince }) => userId !== '' && userSince !== null)
  const visitOf = new Map(visits.map(visit => [visit.sessionNo, visit]))
  const places = [
    ...visits.map(visit =>
      placeOf('session', visit.startedAt, visit.sessionNo, () => ofSession(visit, grant)),
    ),
    ...identified.map(visit =>
      placeOf('identity', visit.userSince!, visit.sessionNo, () =>
        itemOf('identity', visit.userSince!, visit),
      ),
    ),
    ...events.rows.map(row =>
      placeOf('event', row.at, row.id, () => ofEvent(row, visitOf.get(row.sessionNo)!, grant)),
    ),
    ...money.rows.map(row =>
      placeOf(row.kind, row.at, row.id, () => ofMoney(row, visitOf.get(row.sessionNo)!)),
    ),
  ].sort(newestFirst)
  return {
    rows: places.slice(offset, wanted).map(({ present }) => present()),
    total: visits.length + identified.length + events.total + money.total,
  }
}

type ItemKind = (typeof KINDS)[number]

/** Where an item stands; only those of the page are presented. */
interface Place {
  at: number
  rank: number
  id: string | number
  present: () => TimelineItem
}

const placeOf = (kind: ItemKind, at: Date, id: string | number, present: () => TimelineItem): Place => ({
  at: at.getTime(),
  rank: KINDS.indexOf(kind),
  id,
  present,
})

function newestFirst(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at
  if (a.rank !== b.rank) return a.rank - b.rank
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

const itemOf = (kind: ItemKind, at: Date, visit: Visit): TimelineItem => ({
  kind,
  timestamp: at.toISOString(),
  session_id: sessionIdOf(visit),
  visitor_id: visit.visitorId ?? '',
  user_id: visit.userId,
  event_type: null,
  name: '',
  path: '',
  title: '',
  properties: {},
  source: '',
  pageviews: null,
  duration_seconds: null,
  amount: null,
  currency: '',
})

const ofSession = (visit: Visit, grant: Grant | null): TimelineItem => ({
  ...itemOf('session', visit.startedAt, visit),
  path: mayShow(grant, 'pages') ? visit.entryPath : '',
  source: mayShow(grant, 'sources') ? visit.source : '',
  pageviews: visit.pageviews,
  duration_seconds: visit.durationMs / 1_000,
})

const ofEvent = (row: EventOfVisit, visit: Visit, grant: Grant | null): TimelineItem => ({
  ...itemOf('event', row.at, visit),
  event_type: row.type,
  name: row.name,
  path: mayShow(grant, 'pages') ? row.path : '',
  title: mayShow(grant, 'pages') ? row.title : '',
  properties: row.props ?? {},
})

function ofMoney(row: MoneyOfVisit, visit: Visit): TimelineItem {
  const amount = Number(row.amount)
  return {
    ...itemOf(row.kind, row.at, visit),
    name: row.name,
    amount: Number.isSafeInteger(amount) ? amount : null,
    currency: row.currency,
  }
}

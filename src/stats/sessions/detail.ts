import { z } from 'zod'
import { query } from '../../db/query.ts'
import { EVENT_TYPES, type EventType } from '../../dimensions/event-types.ts'
import { AppError } from '../../errors.ts'
import { count, decimal, label, timestamp, uuid } from '../../schema/fields.ts'
import { envelope, type PageUrl, pageFields, paginate, windowOf } from '../../schema/pagination.ts'
import { requiredText } from '../../schema/validation.ts'
import { type Grant, mayShow } from '../../sharing/grant.ts'
import { urlOf } from '../event-log/actor.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { grantedFilters } from '../filters/granted.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { StatsSite } from '../query-context.ts'
import { resolveQueries } from '../resolve/resolve.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSessionId } from './session-id.ts'
import { readFilteredSessions } from './session-pages.ts'
import { presentSession, SessionRow } from './session-row.ts'

export const SessionQuery = z.object({
  session: requiredText(100).meta({
    description: '`session_id` of the list of sessions.',
    example: '1hnzvs6o0-3f',
  }),
  ...pageFields(100),
})
export type SessionQuery = z.infer<typeof SessionQuery>

/** @see docs/metrics.md "One session" */
const SessionHit = z
  .object({
    id: uuid('Of the hit.'),
    event_type: z.enum(EVENT_TYPES).meta({ description: 'What happened.', example: 'pageview' }),
    event_name: label('Name of the event, the autocapture or the error; empty for a pageview.', ''),
    timestamp: timestamp('When it happened.'),
    path: label('Path of the page.', '/pricing'),
    url: label('URL of the page, with its query.', 'https://example.com/pricing?utm_source=newsletter'),
    title: label('Title of the page.', 'Pricing'),
    hostname: label('Host of the page.', 'example.com'),
    properties: z
      .record(z.string(), z.string())
      .meta({ description: 'Properties of your own.', example: { plan: 'team' } }),
    engaged_seconds: decimal(
      'Time spent on a pageview, to the millisecond; null without any.',
      41.2,
    ).nullable(),
    scroll: count('Deepest scroll of a pageview, percent; null without any.', 80).nullable(),
    error_id: uuid('Which error it is; null for everything else.').nullable().meta({ example: null }),
  })
  .meta({ id: 'SessionHit' })

export const SessionDetail = envelope(SessionHit)
  .extend({ session: SessionRow })
  .meta({ id: 'SessionDetail' })
export type SessionDetail = z.infer<typeof SessionDetail>

const findSessionSpan = query<
  { siteNo: number; startedAt: Date; sessionNo: number },
  { firstAt: Date; lastAt: Date }
>(
  'find-session-span',
  `select first_at as "firstAt", last_at as "lastAt"
  from sessions
  where site_no = :siteNo::int and started_at = :startedAt::timestamptz and session_no = :sessionNo::bigint`,
)

interface HitOfSession {
  id: string
  at: Date
  type: EventType
  name: string
  path: string
  url: string
  title: string
  hostname: string
  props: Record<string, string> | null
  errorId: string | null
  isLast: boolean
  total: number
}

const readSessionHits = filteredQuery<PageWindow & { types: string[] }, HitOfSession>('read-session-hits', [
  'filtered_hits',
])

/** Engagement of a session with pageviews at some times, by path. */
const sumEngagementOfSession = query<
  { siteNo: number; sessionNo: number; start: Date; end: Date; times: Date[] },
  { path: string; pageAt: Date; engagedMs: number; scroll: number | null }
>(
  'sum-engagement-of-session',
  `select path, page_at as "pageAt", sum(coalesce(engaged_ms, 0))::float8 as "engagedMs", max(scroll)::int as scroll
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and session_no = :sessionNo::bigint and type = 'engagement' and page_at = any(:times::timestamptz[])
  group by path, page_at`,
)

/**
 * Returns a session with a page of its hits, the oldest first. Readers of a share with filters see a session, and of it the hits,
 * that these filters keep.
 * @throws AppError `not_found` for a session of another site, or one that the reader may not see
 */
export async function getSession(
  services: LogServices & { pageUrl: PageUrl },
  site: StatsSite,
  query: SessionQuery,
): Promise<SessionDetail> {
  const { reads, grant } = services
  const { siteNo } = site
  const key = readSessionId(query.session)
  const isKept = key && !(site.detailsFrom && key.startedAt < site.detailsFrom)
  const [span] = isKept ? await findSessionSpan(reads, { siteNo, ...key }) : []
  if (!key || !span) throw noSuchSession()
  const { sessionNo, startedAt } = key
  const times = { start: span.firstAt, end: new Date(span.lastAt.getTime() + 1) }
  const filters = grantedFilters(grant, { dimensions: [], property: undefined, goalIds: [] })
  const [resolved] = await resolveQueries(services, site, filters, [times])
  const [row] = await readFilteredSessions(reads, resolved!, {
    params: { currency: site.currency, limit: 1, offset: 0 },
    window: { start: startedAt, end: new Date(startedAt.getTime() + 1) },
    sessionNo,
  })
  if (!row) throw noSuchSession()
  const hits = await readSessionHits(reads, resolved!, {
    params: { ...windowOf(query), types: typesFor(grant) },
    sessionNo,
  })
  const total = hits[0]?.total ?? (query.page > 1 ? await countHits(services, resolved!, sessionNo) : 0)
  const engagement = await findEngagement(services, site, { sessionNo, ...times }, hits)
  const rows = hits.map(hit => presentHit(hit, hit.isLast ? engagement.get(placeOf(hit)) : undefined, grant))
  return { session: presentSession(row, siteNo, services), ...paginate(services, query, { rows, total }) }
}

const noSuchSession = () => new AppError('not_found', 'No such session')

/** Events have a section of their own. */
const typesFor = (grant: Grant | null): EventType[] =>
  mayShow(grant, 'events') ? [...EVENT_TYPES] : ['pageview']

/** A page beyond the last has no hit that says how many there are. */
async function countHits({ reads, grant }: LogServices, resolved: ResolvedQuery, sessionNo: number) {
  const [first] = await readSessionHits(reads, resolved, {
    params: { limit: 1, offset: 0, types: typesFor(grant) },
    sessionNo,
  })
  return first?.total ?? 0
}

const placeOf = ({ path, at }: { path: string; at: Date }) => `${at.getTime()} ${path}`

async function findEngagement(
  { reads }: LogServices,
  { siteNo }: StatsSite,
  session: { sessionNo: number; start: Date; end: Date },
  hits: HitOfSession[],
) {
  const times = hits.filter(({ isLast }) => isLast).map(({ at }) => at)
  if (times.length === 0) return new Map<string, never>()
  const rows = await sumEngagementOfSession(reads, { siteNo, ...session, times })
  return new Map(rows.map(row => [placeOf({ path: row.path, at: row.pageAt }), row]))
}

function presentHit(
  hit: HitOfSession,
  engaged: { engagedMs: number; scroll: number | null } | undefined,
  grant: Grant | null,
): z.infer<typeof SessionHit> {
  const ofPage = (text: string) => (mayShow(grant, 'pages') ? text : '')
  return {
    id: hit.id,
    event_type: hit.type,
    event_name: hit.name,
    timestamp: hit.at.toISOString(),
    path: ofPage(hit.path),
    url: ofPage(urlOf(hit)),
    title: ofPage(hit.title),
    hostname: ofPage(hit.hostname),
    properties: hit.props ?? {},
    engaged_seconds: engaged ? engaged.engagedMs / 1_000 : null,
    scroll: engaged?.scroll ?? null,
    error_id: hit.type === 'error' && mayShow(grant, 'errors') ? hit.errorId : null,
  }
}

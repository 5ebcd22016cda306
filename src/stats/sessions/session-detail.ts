import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import { AppError } from '../../platform/errors.ts'
import { count, decimal, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { envelope, type PageUrl, pageFields, paginate, windowOf } from '../../platform/schema/pagination.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { urlOf } from '../event-log/actor.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { grantedFilters } from '../filters/granted.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { sourceOf } from '../planner.ts'
import type { StatsSite } from '../query-context.ts'
import { resolveQueries } from '../resolve/resolve.ts'
import { type Grant, mayShow } from '../sharing/grant.ts'
import { readSessionId } from './session-id.ts'
import { readSessionsByKey } from './session-keys.ts'
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

/** Which hits of a session pass filters: their times, and which they are of the hits of this moment, from 0 in the order of their ids. */
interface PassingHits {
  isFiltered: boolean
  times: Date[]
  nths: number[]
}

interface OneSession {
  siteNo: number
  sessionNo: number
  start: Date
  end: Date
}

const readSessionHits = query<OneSession & PassingHits & PageWindow & { types: EventType[] }, HitOfSession>(
  'read-session-hits',
)

/** Engagement of a session with pageviews at some times, by path. */
const sumEngagementOfSession = query<
  OneSession & { times: Date[] },
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
  const times = { start: span.firstAt, end: new Date(span.lastAt.getTime() + 1) }
  const one = { siteNo, sessionNo: key.sessionNo, ...times }
  const types = typesFor(grant)
  const filters = grantedFilters(grant, { dimensions: [], property: undefined, goalIds: [] })
  const [resolved] = await resolveQueries(services, site, filters, [times])
  const passing = await findPassing(services, resolved!, one, types)
  const [row] = passing ? await readSessionsByKey(reads, site, [key]) : []
  if (!passing || !row) throw noSuchSession()
  const read = (page: PageWindow) => readSessionHits(reads, { ...one, ...passing, types, ...page })
  const hits = await read(windowOf(query))
  // A page beyond the last has no hit that says how many there are.
  const [first] = hits.length > 0 || query.page === 1 ? hits : await read({ limit: 1, offset: 0 })
  const total = first?.total ?? 0
  const engagement = await findEngagement(services, one, hits)
  const rows = hits.map(hit => presentHit(hit, hit.isLast ? engagement.get(placeOf(hit)) : undefined, grant))
  return { session: presentSession(row, siteNo, services), ...paginate(services, query, { rows, total }) }
}

const noSuchSession = () => new AppError('not_found', 'No such session')

/** Events have a section of their own. */
const typesFor = (grant: Grant | null): EventType[] =>
  mayShow(grant, 'events') ? [...EVENT_TYPES] : ['pageview']

/** Returns which hits of a session pass the filters; undefined where the session itself does not. */
async function findPassing(
  services: LogServices,
  resolved: ResolvedQuery,
  { sessionNo }: OneSession,
  types: EventType[],
): Promise<PassingHits | undefined> {
  if (sourceOf('hitsOfSessions', resolved) === 'rows') return { isFiltered: false, times: [], nths: [] }
  const all = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  const [matching, hits] = await Promise.all([
    countAsked(services, resolved, 'matching', [sessionNo]),
    countAsked(services, resolved, 'log', { types, sessionNos: [sessionNo], ...all }),
  ])
  if (matching.length === 0) return undefined
  return {
    isFiltered: true,
    times: Array.from(hits.at, at => new Date(at)),
    nths: Array.from(hits.nth),
  }
}

const placeOf = ({ path, at }: { path: string; at: Date }) => `${at.getTime()} ${path}`

async function findEngagement({ reads }: LogServices, session: OneSession, hits: HitOfSession[]) {
  const times = hits.filter(({ isLast }) => isLast).map(({ at }) => at)
  if (times.length === 0) return new Map<string, never>()
  const rows = await sumEngagementOfSession(reads, { ...session, times })
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

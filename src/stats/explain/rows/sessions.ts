import { type BreakdownDimension, isHitDimension, isOfSessionEnd } from '../../../dimensions/dimensions.ts'
import { invalidField } from '../../../errors.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts'
import { keptPart, type ResolvedQuery } from '../../filters/resolved-query.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import type { Explained } from '../source.ts'
import type { Subject } from '../value-traffic.ts'
import type { After } from './cursor.ts'

/** A session, and what it adds to each term. */
export interface CountedSession {
  startedAt: Date
  sessionNo: number
  visitorId: string | null
  pageviews: number
  custom_events: number
  visitors: number
  sessions: number
  bounces: number
  duration_ms: number
  engaged_ms: number
  engaged_sessions: number
  scroll_percent: number
  scrolled_sessions: number
}

interface Params {
  /** Only sessions that add to one of them. */
  terms: string[]
  afterAt: string
  afterNo: number
  limit: number
}

const OF_HITS = `select
      session_no,
      session_at,
      max(visitor_no) filter (where not is_service) as visitor_no,
      count(*) filter (where type = 'pageview') as pageviews,
      count(*) filter (where type = 'event' and not is_service) as custom_events,
      bool_or(not is_service)::integer as visitors
    from filtered_hits
    where session_no is not null
    group by 1, 2`
const NO_ENGAGEMENT =
  '0::bigint as engaged_ms, 0::bigint as engaged_sessions, 0::bigint as scroll_percent, 0::bigint as scrolled_sessions'
const STARTED = `select
      session_no,
      started_at,
      visitor_no,
      1 as sessions,
      (pageviews = 1)::integer as bounces,
      duration_ms
    from filtered_sessions`
const ENGAGED = `select
      session_no,
      coalesce(sum(engaged_ms), 0)::bigint as engaged_ms,
      1 as engaged_sessions,
      coalesce(max(scroll), 0)::bigint as scroll_percent,
      count(scroll)::bigint as scroll_depths
    from engagements
    where (select terms from params) && array['engaged_sessions', 'scrolled_sessions']
    group by 1`

/** Terms are compared with 0 only where they are wanted: a row that adds to none of them is left out. */
const list = (rows: string) => `select
    page."startedAt",
    page."sessionNo",
    visitors.id as "visitorId",
    pageviews,
    custom_events,
    page.visitors,
    sessions,
    bounces,
    duration_ms,
    engaged_ms,
    engaged_sessions,
    scroll_percent,
    scrolled_sessions
  from (
    select *
    from (${rows}) as counted
    cross join (select terms, "afterAt", "afterNo" from params) as wanted
    where (
        ('pageviews' = any(terms) and pageviews > 0)
        or ('custom_events' = any(terms) and custom_events > 0)
        or ('visitors' = any(terms) and visitors > 0)
        or ('sessions' = any(terms) and sessions > 0)
        or ('engaged_sessions' = any(terms) and engaged_sessions > 0)
        or ('scrolled_sessions' = any(terms) and scrolled_sessions > 0)
      )
      and ("afterAt" = '' or ("startedAt", "sessionNo") < (nullif("afterAt", '')::timestamptz, "afterNo"))
    order by "startedAt" desc, "sessionNo" desc
    limit (select "limit" from params)
  ) as page
  left join visitors on visitors.visitor_no = page.visitor_no
  order by page."startedAt" desc, page."sessionNo" desc`

const JOINED = `
      coalesce(started.started_at, hit.session_at) as "startedAt",
      session_no as "sessionNo",
      coalesce(started.visitor_no, hit.visitor_no) as visitor_no,
      coalesce(hit.pageviews, 0) as pageviews,
      coalesce(hit.custom_events, 0) as custom_events,
      coalesce(hit.visitors, 0) as visitors,
      coalesce(sessions, 0) as sessions,
      coalesce(bounces, 0) as bounces,
      coalesce(duration_ms, 0)::float8 as duration_ms`

const listSessions = filteredQuery<Params, CountedSession>(
  'list-explained-sessions',
  ['filtered_hits', 'filtered_sessions'],
  list(`select ${JOINED}, ${NO_ENGAGEMENT}
    from (${OF_HITS}) as hit
    full join (${STARTED}) as started using (session_no)`),
)
const listSessionsOfHits = filteredQuery<Params, CountedSession>(
  'list-explained-sessions-of-hits',
  ['filtered_hits', 'session_hits', 'engagements', 'filtered_sessions'],
  list(`select ${JOINED},
      coalesce(engaged_ms, 0) as engaged_ms,
      coalesce(engaged_sessions, 0)::bigint as engaged_sessions,
      coalesce(scroll_percent, 0) as scroll_percent,
      (coalesce(scroll_depths, 0) > 0)::integer::bigint as scrolled_sessions
    from (${OF_HITS}) as hit
    full join (
      ${STARTED} where session_no in (select session_no from session_hits)
    ) as started using (session_no)
    left join (${ENGAGED}) as engaged using (session_no)`),
)
const listEndedSessions = filteredQuery<Params, CountedSession>(
  'list-explained-ended-sessions',
  ['filtered_sessions'],
  list(`select
      started_at as "startedAt",
      session_no as "sessionNo",
      visitor_no,
      pageviews::bigint as pageviews,
      0::bigint as custom_events,
      1 as visitors,
      1 as sessions,
      (pageviews = 1)::integer as bounces,
      duration_ms::float8 as duration_ms,
      ${NO_ENGAGEMENT}
    from filtered_sessions`),
)

function statementOf(dimension: BreakdownDimension | undefined) {
  if (!dimension) return listSessions
  if (isHitDimension(dimension)) return listSessionsOfHits
  return isOfSessionEnd(dimension) ? listEndedSessions : listSessions
}

/** A session that has a hit in the range began at most so long before it. */
const REACH_MS = 25 * HOUR_MS
/** Starts of sessions that the first statement reads; each further one reads four times as much. */
const FIRST_MS = { one: 6 * HOUR_MS, all: DAY_MS }

/**
 * Returns sessions that add to one of the terms, the newest first. Statements read one span of starts after the other, until there are
 * enough: a page of a busy site costs a few hours of it, not the range.
 */
export async function listCountedSessions(
  { services, site, resolved }: Explained,
  {
    terms,
    subject,
    after,
    limit,
  }: { terms: string[]; subject: Subject | undefined; after: After | undefined; limit: number },
): Promise<CountedSession[]> {
  const { start, end } = keptPart(resolved)
  const earliest = start.getTime() - REACH_MS
  const afterNo = after ? Number(after.id) : 0
  if (!Number.isSafeInteger(afterNo)) throw invalidField('cursor', 'must be the next_cursor of an answer')
  const statement = statementOf(subject?.dimension)
  const rows: CountedSession[] = []
  let to = Math.min(end.getTime() + REACH_MS, after ? after.at.getTime() + 1 : Number.POSITIVE_INFINITY)
  let length = services.slices ? FIRST_MS.one : FIRST_MS.all
  while (to > earliest && rows.length < limit && start < end) {
    const from = Math.max(earliest, to - length)
    rows.push(
      ...(await statement(services.reads, sliced(resolved, from, to), {
        params: { terms, afterAt: after?.at.toISOString() ?? '', afterNo, limit: limit - rows.length },
        ...(subject && { value: subject.dimension, values: [subject.value], zone: site.timezone }),
      })),
    )
    to = from
    length *= 4
  }
  return rows
}

const sliced = (resolved: ResolvedQuery, from: number, to: number): ResolvedQuery => ({
  ...resolved,
  slice: { from: new Date(from), to: new Date(to) },
})

import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { TimeSpan } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { PeopleFilter } from '../counts/people.ts'
import type { SessionKeys } from '../counts/session-page.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { type Stretches, stretchesOf } from '../metrics/stretches.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import type { SessionKey } from './session-id.ts'
import type { StoredSession } from './session-row.ts'

interface OfVisitors extends TimeSpan {
  siteNo: number
  visitorNos: number[]
}

/** Sessions of visitors, the newest first. */
const listSessionsOfVisitors = query<OfVisitors, SessionKey & { visitorNo: number }>(
  'list-sessions-of-visitors',
  `select started_at as "startedAt", session_no as "sessionNo", visitor_no as "visitorNo"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and visitor_no = any(:visitorNos::int[])
  order by started_at desc, session_no desc`,
)

const readSessionRows = query<
  Stretches & { siteNo: number; currency: string; starts: Date[]; sessionNos: number[] },
  StoredSession
>('read-sessions')

/**
 * Finds a page of the sessions that match the filters, the newest first.
 * @param people only theirs. Sessions of visitors have an index: without filters, no columns are needed
 */
export async function findSessionKeys(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  people: PeopleFilter | undefined,
  page: PageWindow,
): Promise<SessionKeys> {
  const kept = keptPart(resolved)
  return people && 'visitorNos' in people && sourceOf('sessionsOfVisitors', resolved) === 'rows'
    ? keysOfVisitors(services.reads, { ...kept, ...people }, page)
    : countAsked(services, kept, 'sessions', { ...page, people })
}

async function keysOfVisitors(
  reads: Db,
  { siteNo, visitorNos, start, end }: OfVisitors,
  { limit, offset }: PageWindow,
): Promise<SessionKeys> {
  const all = await listSessionsOfVisitors(reads, { siteNo, visitorNos, start, end })
  const shown = all.slice(offset, offset + limit)
  return {
    total: all.length,
    startedAt: Float64Array.from(shown, ({ startedAt }) => startedAt.getTime()),
    sessionNos: Float64Array.from(shown, ({ sessionNo }) => sessionNo),
    visitorNos: Int32Array.from(shown, ({ visitorNo }) => visitorNo),
  }
}

/**
 * Reads sessions, the newest first.
 * @param keys the newest first
 */
export async function readSessionsByKey(
  db: Queryable,
  { siteNo, currency }: { siteNo: number; currency: string },
  keys: readonly SessionKey[],
): Promise<StoredSession[]> {
  if (keys.length === 0) return []
  return readSessionRows(db, {
    siteNo,
    currency,
    starts: keys.map(({ startedAt }) => startedAt),
    sessionNos: keys.map(({ sessionNo }) => sessionNo),
    ...stretchesOf(keys.map(({ startedAt }) => startedAt.getTime())),
  })
}

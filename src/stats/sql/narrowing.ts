import type { Queryable } from '../../db/connect.ts'
import type { PeopleFilter } from '../counts/people.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { type Fragment, inTime } from './bounds.ts'

/** Selects some of the rows that match the filters; every field may be absent. */
export interface Narrowing {
  /** Half-open; restricts only which `filtered_hits` and `filtered_sessions` are read, not which sessions match. */
  window?: { start: Date; end: Date }
  /** Only sessions of these people; restricts only `filtered_sessions`. */
  people?: PeopleFilter | undefined
  /** Only this session; restricts only `filtered_hits` and `filtered_sessions`. */
  sessionNo?: number
  /** Only these sessions; restricts only `filtered_sessions`. */
  sessionNos?: number[]
  /** Only sessions with a replay; restricts only `filtered_sessions`. */
  hasReplay?: boolean
  /** Only hits that come after this one in a list of the newest first; restricts only `filtered_hits`. */
  after?: { at: Date; id: string } | undefined
  /** Only sessions that come after this one in a list of the newest first; restricts only `filtered_sessions`. */
  afterSession?: { at: Date; id: number } | undefined
  /** Only hits at these times; restricts only `filtered_hits`. */
  times?: Date[]
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits and engagement of these titles. */
  titles?: string[]
}

/** Narrows hits to a span of times, to what comes after one of them, to some times, or to a session, an error or titles. */
export const narrowHits = (db: Queryable, options: Narrowing): Fragment => db`
  ${options.window ? db`and ${inTime(db, options.window)}` : db``}
  ${options.after ? db`and (at, id) < (${options.after.at}::timestamptz, ${options.after.id}::uuid)` : db``}
  ${options.times ? atTimes(db, options.times) : db``} ${restricted(db, options)}
  ${options.sessionNo === undefined ? db`` : db`and events.session_no = ${options.sessionNo}::bigint`}`

const ofPeople = (db: Queryable, people: PeopleFilter): Fragment =>
  'visitorNos' in people
    ? db`and sessions.visitor_no = any(${people.visitorNos}::int[])`
    : db`and sessions.user_id <> '' and sessions.user_id = any(${people.userIds}::text[])`

/** Sessions with a replay are few: a hash of them is compared with the sessions of the range. */
const withReplay = (db: Queryable, { siteNo, start, end }: ResolvedQuery): Fragment => db`
  and sessions.session_no in (
    select session_no
    from session_replays
    where site_no = ${siteNo}::int and session_at >= ${start} and session_at < ${end}
  )`

/** Narrows sessions to a span of starts, to what comes after one of them, to people, or to some sessions. */
export const narrowSessions = (
  db: Queryable,
  resolved: ResolvedQuery,
  { window, people, sessionNo, sessionNos, afterSession: after, hasReplay }: Narrowing,
): Fragment => db`
  ${after ? db`and (sessions.started_at, sessions.session_no) < (${after.at}::timestamptz, ${after.id}::bigint)` : db``}
  ${window ? db`and sessions.started_at >= ${window.start} and sessions.started_at < ${window.end}` : db``}
  ${people ? ofPeople(db, people) : db``}
  ${sessionNo === undefined ? db`` : db`and sessions.session_no = ${sessionNo}::bigint`}
  ${sessionNos ? db`and sessions.session_no = any(${sessionNos}::bigint[])` : db``}
  ${hasReplay ? withReplay(db, resolved) : db``}`

/** The type is needed, too: the index covers only errors. */
export const restricted = (db: Queryable, { errorId, titles }: Narrowing): Fragment => db`
  ${errorId ? db`and events.type = 'error' and events.error_id = ${errorId}::uuid` : db``}
  ${titles ? db`and events.title = any(${titles}::text[])` : db``}`

/** The bounds are needed, too: without them, chunks and batches outside these times would be read. */
function atTimes(db: Queryable, times: Date[]): Fragment {
  const ordered = times.toSorted((a, b) => a.getTime() - b.getTime())
  return db`
    and events.at >= ${ordered[0]!} and events.at <= ${ordered.at(-1)!}
    and events.at = any(${ordered.map(at => at.toISOString())}::timestamptz[])`
}

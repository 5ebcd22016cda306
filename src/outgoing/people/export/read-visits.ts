import { query } from '../../../platform/db/query.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import type { Row } from './present.ts'

/** Visitor and user that a person may be. The visitor number is 0, and the identifier empty, when there is none. */
export interface Person {
  siteNo: number
  visitorNo: number
  identifier: string
}

export interface AfterPlace {
  afterAt: Date
  afterKey: string
  limit: number
}

export interface SessionRow extends Row<'sessions'> {
  visitorNo: number
  /** Whether no earlier session of the person is one of the visitor; and one of the visitor with the user. */
  isFirstOfVisitor: boolean
  isFirstOfUser: boolean
}

export const selectSessions = query<
  Person & TimeSpan & { afterAt: Date; afterNo: number; limit: number },
  SessionRow
>('export-sessions')

/**
 * Hits of a visitor in [start, end) after a place: those of a session, or those without one with `sessionNo` null.
 */
export const selectHits = query<
  TimeSpan & AfterPlace & { siteNo: number; visitorNo: number; sessionNo: number | null },
  Row<'hits'>
>('export-hits')

export const findSession = query<
  { siteNo: number; startedAt: Date; sessionNo: number },
  { visitorNo: number; first_hit_at: Date; last_hit_at: Date }
>(
  'find-exported-session',
  `select visitor_no as "visitorNo", first_at as first_hit_at, last_at as last_hit_at
  from sessions
  where site_no = :siteNo and started_at = :startedAt and session_no = :sessionNo`,
)

/** The visitor that was asked for, those for whom the user waits, and others by their numbers. */
export const selectVisitors = query<
  { siteNo: number; visitorNos: number[]; visitorId: string | null; identifier: string },
  Row<'visitors'> & { visitorNo: number }
>(
  'export-visitors',
  `select
    visitor_no as "visitorNo", id as visitor_id, first_seen_at, session_count as sessions, pending_identifier
  from visitors
  where site_no = :siteNo::int
    and (visitor_no = any(:visitorNos::int[]) or id = :visitorId::uuid or pending_identifier = nullif(:identifier::text, ''))
  order by visitor_no`,
)

export const selectIdentities = query<{ siteNo: number; identifiers: string[] }, Row<'identities'>>(
  'export-identities',
  `select identifier, name, avatar, custom, updated_at
  from identities
  where site_no = :siteNo and identifier = any(:identifiers::text[])
  order by identifier`,
)

/** Web vitals of a person in a time span, in order after a place. */
export const selectWebVitals = query<Person & TimeSpan & AfterPlace, Row<'web_vitals'>>('export-web-vitals')

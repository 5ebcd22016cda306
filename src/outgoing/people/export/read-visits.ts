import type { HitType } from '../../../ingestion/hit.ts'
import { query } from '../../../platform/db/query.ts'
import type { SESSION_ATTRIBUTES } from '../../../platform/dimensions/dimensions.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'

/** Visitor and user that a person may be. The visitor number is 0, and the identifier empty, when there is none. */
export interface Person {
  siteNo: number
  visitorNo: number
  identifier: string
}

interface AfterPlace {
  afterAt: Date
  afterKey: string
  limit: number
}

export interface SessionRow extends Record<(typeof SESSION_ATTRIBUTES)[number], string> {
  visitorNo: number
  visitorId: string
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  pageviews: number
  events: number
  visitCount: number
  userId: string
  userSince: Date | null
  /** Whether no earlier session of the person is one of the visitor; and one of the visitor with the user. */
  isFirstOfVisitor: boolean
  isFirstOfUser: boolean
}

export const selectSessions = query<
  Person & TimeSpan & { afterAt: Date; afterNo: number; limit: number },
  SessionRow
>('export-sessions')

export interface HitRow {
  id: string
  sessionNo: number | null
  visitorId: string
  at: Date
  type: HitType
  name: string
  hostname: string
  path: string
  url: string
  title: string
  props: Record<string, string> | null
  scroll: number | null
  engagedMs: number | null
  revenueMinor: number | null
  revenueCurrency: string | null
  errorId: string | null
  errorMessage: string | null
  errorStack: string | null
  errorFile: string | null
  errorLine: string | null
  errorColumn: string | null
}

/**
 * Hits of a visitor in [start, end) after a place: those of a session, or those without one with `sessionNo` null.
 */
export const selectHits = query<
  TimeSpan & AfterPlace & { siteNo: number; visitorNo: number; sessionNo: number | null },
  HitRow
>('export-hits')

export const findSession = query<
  { siteNo: number; startedAt: Date; sessionNo: number },
  { visitorNo: number; firstAt: Date; lastAt: Date }
>(
  'find-exported-session',
  `select visitor_no as "visitorNo", first_at as "firstAt", last_at as "lastAt"
  from sessions
  where site_no = :siteNo and started_at = :startedAt and session_no = :sessionNo`,
)

export interface VisitorRow {
  visitorNo: number
  visitorId: string
  firstSeenAt: Date
  sessions: number
  pendingIdentifier: string | null
}

/** The visitor that was asked for, those for whom the user waits, and others by their numbers. */
export const selectVisitors = query<
  { siteNo: number; visitorNos: number[]; visitorId: string | null; identifier: string },
  VisitorRow
>(
  'export-visitors',
  `select
    visitor_no as "visitorNo", id as "visitorId", first_seen_at as "firstSeenAt", session_count as sessions,
    pending_identifier as "pendingIdentifier"
  from visitors
  where site_no = :siteNo::int
    and (visitor_no = any(:visitorNos::int[]) or id = :visitorId::uuid or pending_identifier = nullif(:identifier::text, ''))
  order by visitor_no`,
)

export interface IdentityRow {
  identifier: string
  name: string | null
  avatar: string | null
  custom: Record<string, string> | null
  updatedAt: Date
}

export const selectIdentities = query<{ siteNo: number; identifiers: string[] }, IdentityRow>(
  'export-identities',
  `select identifier, name, avatar, custom, updated_at as "updatedAt"
  from identities
  where site_no = :siteNo and identifier = any(:identifiers::text[])
  order by identifier`,
)

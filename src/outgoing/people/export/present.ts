import { SESSION_ATTRIBUTES } from '../../../platform/dimensions/dimensions.ts'
import type { ServiceEventRow } from './read-money.ts'
import type { ReplayRow } from './read-replays.ts'
import type { HitRow, IdentityRow, SessionRow, VisitorRow } from './read-visits.ts'
import type { WebVitalsRow } from './read-web-vitals.ts'
import type { PersonExport } from './schema.ts'

type Item<
  Name extends 'identities' | 'visitors' | 'sessions' | 'hits' | 'web_vitals' | 'replays' | 'service_events',
> = PersonExport[Name][number]

export const presentIdentity = ({ updatedAt, ...row }: IdentityRow): Item<'identities'> => ({
  ...row,
  updated_at: updatedAt.toISOString(),
})

export const presentVisitor = (row: VisitorRow): Item<'visitors'> => ({
  visitor_id: row.visitorId,
  first_seen_at: row.firstSeenAt.toISOString(),
  sessions: row.sessions,
  pending_identifier: row.pendingIdentifier,
})

export const presentSession = (row: SessionRow): Item<'sessions'> => ({
  session: row.sessionNo,
  visitor_id: row.visitorId,
  user_id: row.userId,
  identified_at: row.userSince?.toISOString() ?? null,
  started_at: row.startedAt.toISOString(),
  first_hit_at: row.firstAt.toISOString(),
  last_hit_at: row.lastAt.toISOString(),
  pageviews: row.pageviews,
  events: row.events,
  visit_count: row.visitCount,
  ...(Object.fromEntries(SESSION_ATTRIBUTES.map(name => [name, row[name]])) as Record<
    (typeof SESSION_ATTRIBUTES)[number],
    string
  >),
})

export const presentHit = (row: HitRow): Item<'hits'> => ({
  id: row.id,
  session: row.sessionNo,
  visitor_id: row.visitorId,
  timestamp: row.at.toISOString(),
  event_type: row.type,
  event_name: row.name,
  hostname: row.hostname,
  path: row.path,
  url: row.url,
  title: row.title,
  properties: row.props ?? {},
  scroll: row.scroll,
  engaged_ms: row.engagedMs,
  revenue_minor: row.revenueMinor,
  revenue_currency: row.revenueCurrency,
  error_id: row.errorId,
  error_message: row.errorMessage,
  error_stack: row.errorStack,
  error_file: row.errorFile,
  error_line: row.errorLine,
  error_column: row.errorColumn,
})

export const presentVitals = ({ at, receivedAt, ...row }: WebVitalsRow): Item<'web_vitals'> => ({
  ...row,
  timestamp: at.toISOString(),
  received_at: receivedAt.toISOString(),
  cls: row.cls === null ? null : row.cls / 10_000,
})

export const presentReplayChunk = (
  { id, session, at, recording, position, hostname, path }: ReplayRow,
  events: object[],
): Item<'replays'> => ({
  id,
  session,
  timestamp: at.toISOString(),
  recording,
  position,
  hostname,
  path,
  events,
})

export const presentServiceEvent = (row: ServiceEventRow): Item<'service_events'> => ({
  id: row.id,
  timestamp: row.at.toISOString(),
  event_name: row.name,
  properties: row.props ?? {},
})

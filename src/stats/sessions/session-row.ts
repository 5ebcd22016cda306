import { z } from 'zod'
import type { SessionAttribute } from '../../platform/dimensions/dimensions.ts'
import { HIDDEN_REVENUE, presentRowRevenue, rowRevenueFields } from '../../platform/schema/amounts.ts'
import { count, decimal, flag, label, timestamp } from '../../platform/schema/fields.ts'
import { type ActorServices, personOf } from '../event-log/actor.ts'
import { mayShow } from '../sharing/grant.ts'
import { attributeFields, personFields, presentAttributes } from './session-fields.ts'
import { sessionIdOf } from './session-id.ts'

/** @see docs/metrics.md "Sessions as a list" */
export const SessionRow = z
  .object({
    session_id: label('Names the session in paths.', '1hnzvs6o0-3f'),
    ...personFields,
    started_at: timestamp('Of the opening hit.'),
    last_at: timestamp('Of the latest hit or engagement.'),
    duration_seconds: decimal('From the first hit to the latest, to the millisecond.', 95.417),
    pageviews: count('Pageviews of the session.', 3),
    events: count('Its other hits: events, autocaptures and errors.', 1),
    visit_count: count('Which session of the visitor it is, from 1.', 1),
    ...attributeFields,
    has_replay: flag('The session was recorded; always false for readers who are no users.', true),
    ...rowRevenueFields('Payments attributed to the session, less refunds, in minor units.', 4_999),
  })
  .meta({ id: 'SessionRow' })
export type SessionRow = z.infer<typeof SessionRow>

/** A session as `read-sessions` has it; the user is the present one. */
export interface StoredSession extends Record<SessionAttribute | 'exitPath', string> {
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  durationMs: number
  pageviews: number
  events: number
  visitCount: number
  visitorId: string | null
  userId: string
  userName: string | null
  userAvatar: string | null
  hasReplay: boolean
  /** Minor units, as text: a sum may exceed what JavaScript represents exactly. */
  revenue: string
}

export function presentSession(row: StoredSession, siteNo: number, services: ActorServices): SessionRow {
  return {
    session_id: sessionIdOf(row),
    ...personOf(row, siteNo, services.config),
    started_at: row.startedAt.toISOString(),
    last_at: row.lastAt.toISOString(),
    duration_seconds: row.durationMs / 1_000,
    pageviews: row.pageviews,
    events: row.events,
    visit_count: row.visitCount,
    ...presentAttributes(row, services.grant),
    has_replay: row.hasReplay && services.grant === null,
    ...(mayShow(services.grant, 'revenue') ? presentRowRevenue(BigInt(row.revenue)) : HIDDEN_REVENUE),
  }
}

import type postgres from 'postgres'
import type { Queryable } from '../../db/connect.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { TimeSpan } from '../../time/range.ts'
import { zoneOffsets } from '../../time/zone-offsets.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'

/** SQL is composed only in this folder, from fragments of the driver: each value in a fragment becomes a parameter. */
export type Fragment = postgres.Fragment

/** Concatenates fragments. Without this, the driver would make a parameter of an empty list. */
export const concat = (db: Queryable, parts: Fragment[]): Fragment => (parts.length > 0 ? db`${parts}` : db``)

/** Hits of a session lie at most 24 hours from its start; late hits may lie before it. */
const SESSION_REACH_MS = 25 * HOUR_MS

export const inTime = (db: Queryable, { start, end }: TimeSpan): Fragment =>
  db`(events.at >= ${start} and events.at < ${end})`

/** The value of `hour_of_week` at a time of the range: `1-00` is Monday from midnight to one, by the clocks of the zone. */
export function hourOfWeek(db: Queryable, { start, end }: TimeSpan, zone: string, at: Fragment): Fragment {
  const { offsetStarts, offsets } = zoneOffsets(zone, start.getTime(), end.getTime())
  const starts = offsetStarts.map(each => each.toISOString())
  // Text of each of the 168 hours, from Monday on: cheaper than to format the hour of each row.
  const names = Array.from(
    { length: 168 },
    (_, hour) => `${Math.floor(hour / 24) + 1}-${String(hour % 24).padStart(2, '0')}`,
  )
  return db`(${names}::text[])[
    1 + (floor(
      (date_part('epoch', ${at}) + (${offsets}::int[])[width_bucket(${at}, ${starts}::timestamptz[])]) / 3600
    )::bigint % 168 + 240) % 168
  ]`
}

export const inRange = (db: Queryable, resolved: ResolvedQuery): Fragment =>
  db`events.site_no = ${resolved.siteNo}::int and ${inTime(db, resolved)}`

/** Condition for pageviews and events in the range, including events that the service wrote. */
export const visibleHit = (db: Queryable, resolved: ResolvedQuery): Fragment =>
  db`${inRange(db, resolved)} and events.type not in ('engagement', 'identify')`

/** Condition for hits of sessions that started in the range. */
export const startedInRange = (db: Queryable, { start, end }: TimeSpan): Fragment =>
  db`(events.session_at >= ${start} and events.session_at < ${end})`

/** Condition for the time span in which the hits of the range and those of sessions that started in it can lie. */
export function aroundRange(db: Queryable, resolved: ResolvedQuery): Fragment {
  const { start, end } = around(resolved)
  return db`
    events.site_no = ${resolved.siteNo}::int and events.at >= ${start} and events.at < ${end}
    ${
      resolved.findsReach
        ? db`and events.at >= (select starts_at from reach) and events.at < (select ends_at from reach)`
        : db``
    }`
}

/** Computed here and not in SQL: the planner excludes chunks, and starts workers, only with constant bounds. */
const around = ({ start, end }: TimeSpan): TimeSpan => ({ start: beforeReach(start), end: afterReach(end) })

/** Hits of a session that started at a time, or later, are not before this one. */
export const beforeReach = (at: Date): Date => new Date(at.getTime() - SESSION_REACH_MS)

/** Hits of a session that started at a time, or earlier, are not after this one. */
export const afterReach = (at: Date): Date => new Date(at.getTime() + SESSION_REACH_MS)

/** Condition for sessions that started in the range and in the session slice. */
export function startedSession(db: Queryable, { siteNo, start, end, slice }: ResolvedQuery): Fragment {
  const from = slice?.from && slice.from > start ? slice.from : start
  const to = slice?.to && slice.to < end ? slice.to : end
  return db`sessions.site_no = ${siteNo}::int and sessions.started_at >= ${from} and sessions.started_at < ${to}`
}

/**
 * Source of the sessions that hits of the range may belong to, under the name `sessions`. An event that the service wrote may
 * belong to any earlier session, and one from before its visitor was known to any later one: these are few, and looked up one by one.
 */
export function sessionsAround(db: Queryable, resolved: ResolvedQuery): Fragment {
  const { siteNo, slice } = resolved
  const { start, end } = around(resolved)
  const serviceEvent = db`${inRange(db, resolved)} and is_service`
  return db`(
    select * from sessions
    where site_no = ${siteNo}::int
      and started_at < ${slice?.to ?? end}
      and started_at >= ${
        slice?.from
          ? db`${slice.from}`
          : db`least(${start}::timestamptz, (select min(session_at) from events where ${serviceEvent}))`
      }
    ${
      slice?.to
        ? db``
        : db`
    union all
    select later.*
    from (
      select distinct session_at, session_no from events where ${serviceEvent} and session_at >= ${end}
    ) as service_event
    cross join lateral (
      select * from sessions
      where site_no = ${siteNo}::int
        and started_at = service_event.session_at
        and session_no = service_event.session_no
      limit 1
    ) as later`
    }
  ) as sessions`
}

/**
 * Source of hits, under the name `events`; with a session slice, only hits of its sessions. Events that the service writes may
 * lie any time after the start of a session, its other hits within a day.
 */
export function eventsOf(db: Queryable, { siteNo, slice }: ResolvedQuery): Fragment {
  if (!slice) return db`events`
  const { from, to } = slice
  const ofSessions = db`
    site_no = ${siteNo}::int
    ${from ? db`and session_at >= ${from}` : db``}
    ${to ? (from ? db`and session_at < ${to}` : db`and (session_at < ${to} or session_at is null)`) : db``}`
  return db`(
    select * from events
    where ${ofSessions} and not is_service
      ${from ? db`and at >= ${beforeReach(from)}` : db``}
      ${to ? db`and at < ${afterReach(to)}` : db``}
    union all
    select * from events where ${ofSessions} and is_service
  ) as events`
}

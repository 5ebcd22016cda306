import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'
import { conditionsOnHit } from './conditions.ts'
import { hasValue, type ValueOptions, valueInHit } from './values.ts'

/** A session, and when its first and latest hits were. */
export interface VisitSpan {
  sessionNo: number
  firstAt: Date
  lastAt: Date
}

/**
 * Events of `visits` in the range that match the filters on hits; no pageviews, and none that the service wrote. The bounds of a
 * visit alone: with those of the range, too, the planner would read the whole range for each visit.
 */
export const visitHits = (db: Queryable, resolved: ResolvedQuery, visits: VisitSpan[]): Fragment => db`
  select hit.*
  from ${visitsOf(db, resolved, visits)}
  cross join lateral (
    select events.*
    from events
    where events.site_no = ${resolved.siteNo}::int and events.session_no = visit.session_no
      and events.at >= visit.first_at and events.at <= visit.last_at
      and events.type not in ('pageview', 'engagement', 'identify') and not events.is_service
      and ${conditionsOnHit(db, resolved)}
    -- Keeps the planner from joining all hits of the range with the visits.
    offset 0
  ) as hit`

/** The values that hits of `visits` in the range have that match the filters on hits, each once a visit; as `visitHits`. */
export const visitValues = (
  db: Queryable,
  resolved: ResolvedQuery,
  visits: VisitSpan[],
  options: ValueOptions,
): Fragment => db`
  select visit.session_no, hit.value
  from ${visitsOf(db, resolved, visits)}
  cross join lateral (
    select distinct ${valueInHit(db, options)!} as value
    from events
    where events.site_no = ${resolved.siteNo}::int and events.session_no = visit.session_no
      and events.at >= visit.first_at and events.at <= visit.last_at
      and events.type not in ('engagement', 'identify') and not events.is_service
      and ${conditionsOnHit(db, resolved)} ${hasValue(db, valueInHit(db, options), options)}
    offset 0
  ) as hit`

/** The part of each visit that lies in the range. */
const visitsOf = (db: Queryable, resolved: ResolvedQuery, visits: VisitSpan[]): Fragment => db`
  unnest(
    ${visits.map(({ sessionNo }) => sessionNo)}::bigint[],
    ${visits.map(({ firstAt }) => later(firstAt, resolved.start).toISOString())}::timestamptz[],
    ${visits.map(({ lastAt }) => earlier(lastAt, justBefore(resolved.end)).toISOString())}::timestamptz[]
  ) as visit (session_no, first_at, last_at)`

const later = (a: Date, b: Date) => (a > b ? a : b)
const earlier = (a: Date, b: Date) => (a < b ? a : b)
const justBefore = (at: Date) => new Date(at.getTime() - 1)

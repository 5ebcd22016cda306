import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import {
  afterReach,
  aroundRange,
  beforeReach,
  concat,
  eventsOf,
  type Fragment,
  inTime,
  startedInRange,
  visibleHit,
} from './bounds.ts'
import { conditionsOnHit, conditionsOnSession, hasHitFilters } from './conditions.ts'
import { asValue, hasValue, type ValueOptions, valueInHit } from './values.ts'

/** Rows of `matching_hits` or `matching_rows`: one scan instead of one for each of the two relations. */
export function matchingRows(
  db: Queryable,
  resolved: ResolvedQuery,
  options: ValueOptions,
  leftOut: ('engagement' | 'identify')[],
): Fragment {
  const isInRange = inTime(db, resolved)
  const isOfStarted = startedInRange(db, resolved)
  const rows = hasHitFilters(resolved)
    ? db`${visibleHit(db, resolved)} and ${conditionsOnHit(db, resolved)}`
    : db`${aroundRange(db, resolved)} and events.type <> all(${leftOut}::text[]) and (${isInRange} or ${isOfStarted})`
  return db`
    select
      events.* ${asValue(db, valueInHit(db, options))},
      events.type <> 'engagement' and ${isInRange} as in_filtered_hits,
      events.type <> 'engagement' and not is_service and ${isOfStarted} as in_session_hits,
      events.type = 'engagement' and ${isOfStarted} as in_engagements
    from ${eventsOf(db, resolved)}
    where ${rows} and ${conditionsOnSession(db, resolved)}
      ${hasValue(db, valueInHit(db, options), options)}`
}

/**
 * Such hits lie near the bounds of the range, and the two scans read no more than that. Most ranges end with the newest session:
 * then there is no second scan.
 */
export function hitsOfOtherSessions(db: Queryable, resolved: ResolvedQuery): Fragment {
  const { siteNo, start, end } = resolved
  const isBeforeOthers = db`exists (
    select from sessions where site_no = ${siteNo}::int and started_at >= ${end} and started_at < ${afterReach(end)}
  )`
  const hits = (bounds: Fragment) => db`
    select events.*
    from ${eventsOf(db, resolved)}
    where ${visibleHit(db, resolved)} and not is_service and ${bounds} and ${conditionsOnSession(db, resolved)}`
  return db`
    ${hits(db`events.at < ${afterReach(start)} and events.session_at < ${start}`)}
    union all
    ${hits(db`events.at >= ${beforeReach(end)} and events.session_at >= ${end} and ${isBeforeOthers}`)}`
}

export interface PartOptions extends ValueOptions {
  /** Whether `value_parts` has engagement. */
  withEngagement?: boolean
}

const PARTS = 4

/**
 * `matching_rows` by value of a dimension of hits and by part of the range: counts, and arrays of visitors and sessions. A hash of all
 * pairs of value and session takes more than twice as long as such arrays, which are made distinct afterwards. One aggregation to an
 * array has one process; the parts of the range can have a process each.
 */
export const valueParts = (
  db: Queryable,
  resolved: ResolvedQuery,
  { withEngagement = false, ...options }: PartOptions,
): Fragment =>
  concat(
    db,
    partsOf(resolved).map(
      ({ from, to }, index) => db`
    ${index === 0 ? db`` : db`union all`}
    select
      value,
      count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
      max(at) filter (where in_filtered_hits) as last_at,
      array_agg(visitor_no) filter (where in_filtered_hits) as visitor_nos,
      array_agg(session_no) filter (where in_session_hits) as session_nos,
      array_agg(session_no) filter (where in_engagements) as engaged_session_nos,
      array_agg(engaged_ms) filter (where in_engagements) as engaged_times,
      array_agg(scroll) filter (where in_engagements) as scrolls
    from (${matchingRows(db, resolved, options, withEngagement ? ['identify'] : ['engagement', 'identify'])}) as row
    where not is_service ${from ? db`and at >= ${from}` : db``} ${to ? db`and at < ${to}` : db``}
    group by value`,
    ),
  )

/** Half-open times that divide the range equally; the first and the last part have the rows around it, too. */
function partsOf({ start, end }: ResolvedQuery): { from: Date | undefined; to: Date | undefined }[] {
  const lengthMs = end.getTime() - start.getTime()
  const cuts = Array.from(
    { length: PARTS - 1 },
    (_, index) => new Date(start.getTime() + Math.round((lengthMs * (index + 1)) / PARTS)),
  )
  return [undefined, ...cuts].map((from, index) => ({ from, to: cuts[index] }))
}

import type { Queryable } from '../../db/connect.ts'
import { columnOf, isHitDimension, isOfSessionEnd } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import {
  aroundRange,
  concat,
  eventsOf,
  type Fragment,
  inRange,
  sessionsAround,
  startedSession,
} from './bounds.ts'
import { conditionsOnSession, inMatchingSession } from './conditions.ts'
import { hasValue, type ValueOptions } from './values.ts'

/** PostgreSQL arrays of arrays must be rectangular: each inner array is sent as text. */
const listed = (goals: number[]) => `{${goals.join(',')}}`

const kindsOf = (rows: ConversionTargets['hits']) => [...new Set(rows.map(({ kind }) => kind))]

/**
 * One row for each goal and conversion in the range, in sessions that match the filters: `goal` (its number), `at`,
 * `visitor_no`, `session_no`, `revenue_minor` and `revenue_currency` (as reported by the hit), and `matched`: the path, name or
 * selector that the goal was compared with.
 */
function conversions(db: Queryable, resolved: ResolvedQuery, { hits, scrolls }: ConversionTargets): Fragment {
  const ofFilteredSession = db`
    ${conditionsOnSession(db, resolved)}
    ${inMatchingSession(db, resolved, db`events.session_no`)}`
  const branches = [
    { column: db`events.path`, rows: hits.filter(({ kind }) => kind === 'pageview') },
    { column: db`events.name`, rows: hits.filter(({ kind }) => kind === 'event') },
    {
      column: db`coalesce(events.props ->> 'selector', '')`,
      rows: hits.filter(({ kind }) => kind !== 'pageview' && kind !== 'event'),
    },
  ].filter(({ rows }) => rows.length > 0)
  const converting = branches.map(
    ({ column, rows }) => db`
    select goal, events.at, visitor_no, session_no, revenue_minor, revenue_currency, target.value as matched
    from ${eventsOf(db, resolved)}
    join unnest(
      ${rows.map(row => row.kind)}::text[],
      ${rows.map(row => row.value)}::text[],
      ${rows.map(row => row.props)}::text[],
      ${rows.map(row => listed(row.goals))}::text[]
    ) as target (kind, value, props, goals) on target.value = ${column} ${kindsOf(rows).length === 1 ? db`` : db`and target.kind = events.type`}
    cross join lateral unnest(target.goals::int[]) as goal
    where ${inRange(db, resolved)} and events.type = any(${kindsOf(rows)}::text[])
      ${rows.some(row => row.props !== null) ? db`and (target.props is null or events.props @> target.props::jsonb)` : db``}
      and ${ofFilteredSession}
    union all`,
  )
  return db`
    ${concat(db, converting)}
    select
      goal, page_at as at, visitor_no, session_no, null::bigint as revenue_minor, null::text as revenue_currency,
      path as matched
    from (
      select target.goals, page_at, visitor_no, session_no, events.path
      from ${eventsOf(db, resolved)}
      join unnest(
        ${scrolls.map(row => row.path)}::text[],
        ${scrolls.map(row => row.threshold)}::int[],
        ${scrolls.map(row => listed(row.goals))}::text[]
      ) as target (path, threshold, goals) on target.path = events.path
      where ${scrolls.length > 0} and ${aroundRange(db, resolved)} and events.type = 'engagement'
        and page_at >= ${resolved.start} and page_at < ${resolved.end}
        and ${ofFilteredSession}
      group by target.goals, target.threshold, events.path, page_at, visitor_no, session_no
      having max(scroll) >= target.threshold
    ) as scrolled
    cross join lateral unnest(scrolled.goals::int[]) as goal`
}

/** Conversions of targets; with a dimension, `value` is that of the hit or of its session. */
export function conversionsByValue(
  db: Queryable,
  resolved: ResolvedQuery,
  targets: ConversionTargets,
  options: ValueOptions,
): Fragment {
  const { value } = options
  const converting = conversions(db, resolved, targets)
  if (!value || value === HOUR_OF_WEEK || isHitDimension(value)) return converting
  const ofSession = db`sessions.${db(columnOf(value))}::text`
  return db`
    select conversion.*, session.value
    from (${converting}) as conversion
    join (
      select session_no, ${ofSession} as value
      from ${isOfSessionEnd(value) ? db`sessions` : sessionsAround(db, resolved)}
      where ${isOfSessionEnd(value) ? startedSession(db, resolved) : db`true`}
        ${hasValue(db, ofSession, options)}
    ) as session using (session_no)`
}

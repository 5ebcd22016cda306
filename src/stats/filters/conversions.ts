import type { Queryable } from '../../infra/db.ts'
import {
  aroundRange,
  type Fragment,
  hasHitFilters,
  inRange,
  type Scope,
  sessionConditions,
} from './conditions.ts'

/** What converts, with every operator turned into values: rows to join hits with (`findTargets`). */
export interface ConversionTargets {
  /**
   * Goals, by number, that a hit of the type converts whose path, name or selector is `value` and whose properties
   * contain the JSON object `props` (null: any).
   */
  hits: { kind: string; value: string; props: string | null; goals: number[] }[]
  /** Goals that a pageview of the path converts when it is scrolled to `threshold` percent. */
  scrolls: { path: string; threshold: number; goals: number[] }[]
}

/** An array of arrays may not be ragged: each travels as text. */
const listed = (goals: number[]) => `{${goals.join(',')}}`

/**
 * One row a goal and conversion in the range, of sessions that pass the filters: `goal` (its number), `at`, `visitor_no`,
 * `session_no`, `revenue_minor` and `revenue_currency` (reported).
 */
export function conversions(db: Queryable, scope: Scope, { hits, scrolls }: ConversionTargets): Fragment {
  const ofKeptSession = db`
    ${sessionConditions(db, scope)}
    ${hasHitFilters(scope) ? db`and events.session_no in (select session_no from matching)` : db``}`
  const kinds = [...new Set(hits.map(row => row.kind))]
  return db`
    select goal, events.at, visitor_no, session_no, revenue_minor, revenue_currency
    from events
    join unnest(
      ${hits.map(row => row.kind)}::text[],
      ${hits.map(row => row.value)}::text[],
      ${hits.map(row => row.props)}::text[],
      ${hits.map(row => listed(row.goals))}::text[]
    ) as target (kind, value, props, goals)
      on target.kind = events.type
      and target.value = case events.type
        when 'pageview' then events.path
        when 'event' then events.name
        else coalesce(events.props ->> 'selector', '')
      end
    cross join lateral unnest(target.goals::int[]) as goal
    where ${hits.length > 0} and ${inRange(db, scope)} and events.type = any(${kinds}::text[])
      and (target.props is null or events.props @> target.props::jsonb)
      and ${ofKeptSession}
    union all
    select goal, page_at, visitor_no, session_no, null, null
    from (
      select target.goals, page_at, visitor_no, session_no
      from events
      join unnest(
        ${scrolls.map(row => row.path)}::text[],
        ${scrolls.map(row => row.threshold)}::int[],
        ${scrolls.map(row => listed(row.goals))}::text[]
      ) as target (path, threshold, goals) on target.path = events.path
      where ${scrolls.length > 0} and ${aroundRange(db, scope)} and events.type = 'engagement'
        and page_at >= ${scope.start} and page_at < ${scope.end}
        and ${ofKeptSession}
      group by target.goals, target.threshold, page_at, page_id, visitor_no, session_no
      having max(scroll) >= target.threshold
    ) as scrolled
    cross join lateral unnest(scrolled.goals::int[]) as goal`
}

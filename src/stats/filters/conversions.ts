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
  /** `value` is what the hit's path, name or selector is; `props` a JSON object its properties contain, null for any. */
  hits: { goal: number; kind: string; value: string; props: string | null }[]
  /** `threshold` is the percentage a pageview of the path must be scrolled to. */
  scrolls: { goal: number; path: string; threshold: number }[]
}

/**
 * One row a conversion in the range, of sessions that pass the filters: `goal` (the number its targets carry), `at`,
 * `visitor_no`, `session_no`, `revenue_minor` and `revenue_currency` (reported).
 */
export function conversions(db: Queryable, scope: Scope, { hits, scrolls }: ConversionTargets): Fragment {
  const ofKeptSession = db`
    ${sessionConditions(db, scope)}
    ${hasHitFilters(scope) ? db`and events.session_no in (select session_no from matching)` : db``}`
  const kinds = [...new Set(hits.map(row => row.kind))]
  return db`
    select target.goal, events.at, visitor_no, session_no, revenue_minor, revenue_currency
    from events
    join unnest(
      ${hits.map(row => row.goal)}::int[],
      ${hits.map(row => row.kind)}::text[],
      ${hits.map(row => row.value)}::text[],
      ${hits.map(row => row.props)}::text[]
    ) as target (goal, kind, value, props)
      on target.kind = events.type
      and target.value = case events.type
        when 'pageview' then events.path
        when 'event' then events.name
        else coalesce(events.props ->> 'selector', '')
      end
    where ${hits.length > 0} and ${inRange(db, scope)} and events.type = any(${kinds}::text[])
      and (target.props is null or events.props @> target.props::jsonb)
      and ${ofKeptSession}
    union all
    select target.goal, page_at, visitor_no, session_no, null, null
    from events
    join unnest(
      ${scrolls.map(row => row.goal)}::int[],
      ${scrolls.map(row => row.path)}::text[],
      ${scrolls.map(row => row.threshold)}::int[]
    ) as target (goal, path, threshold) on target.path = events.path
    where ${scrolls.length > 0} and ${aroundRange(db, scope)} and events.type = 'engagement'
      and page_at >= ${scope.start} and page_at < ${scope.end}
      and ${ofKeptSession}
    group by target.goal, page_at, page_id, visitor_no, session_no
    having max(scroll) >= min(target.threshold)`
}

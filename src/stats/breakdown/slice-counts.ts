import type { SliceCounts } from '../metrics/rank.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { EngagementColumn } from './engagement-by-value.ts'

export type CountedColumn = 'visitors' | 'sessions' | 'pageviews' | 'bounces' | 'durationMs'

/** Counts that `break-down-hits` ranks, for one slice: every value, with its visitors instead of their number. */
export const countHitValues = filteredQuery<undefined, SliceCounts<CountedColumn>>(
  'count-hit-values',
  ['matching_hits', 'filtered_sessions'],
  `select
    value,
    sum(hit.pageviews)::bigint as pageviews,
    array_send(array_agg(distinct visitor_no) filter (where is_visit)) as visitors,
    count(*) filter (where is_seen) as sessions,
    count(*) filter (where is_seen and started.pageviews = 1) as bounces,
    coalesce(sum(duration_ms) filter (where is_seen), 0)::float8 as "durationMs"
  from (
    select
      value,
      session_no,
      visitor_no,
      count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
      bool_or(not is_service and in_filtered_hits) as is_visit,
      bool_or(in_session_hits) as is_seen
    from matching_hits
    group by 1, 2, 3
  ) as hit
  left join (select session_no, pageviews, duration_ms from filtered_sessions) as started using (session_no)
  group by value`,
)

/** The same of paths or titles with their engagement, in one scan; without filters on hits. */
export const countPageValues = filteredQuery<undefined, SliceCounts<CountedColumn | EngagementColumn>>(
  'count-page-values',
  ['matching_rows', 'filtered_sessions'],
)

/** Counts that `break-down-sessions` ranks, for one slice: one row of each value for hits, and one for sessions. */
export const countSessionValues = filteredQuery<undefined, SliceCounts<CountedColumn>>(
  'count-session-values',
  ['filtered_hits', 'filtered_sessions'],
  `select
    value,
    count(*) filter (where type = 'pageview') as pageviews,
    array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors,
    0::bigint as sessions,
    0::bigint as bounces,
    0::float8 as "durationMs"
  from filtered_hits
  group by value
  union all
  select
    value,
    0,
    null,
    count(*),
    count(*) filter (where pageviews = 1),
    coalesce(sum(duration_ms), 0)::float8
  from filtered_sessions
  group by value`,
)

/** Counts that `break-down-ends` ranks, for one slice. */
export const countEndValues = filteredQuery<undefined, SliceCounts<CountedColumn>>(
  'count-end-values',
  ['filtered_sessions'],
  `select
    value,
    sum(pageviews)::bigint as pageviews,
    array_send(array_agg(distinct visitor_no)) as visitors,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as "durationMs"
  from filtered_sessions
  group by value`,
)

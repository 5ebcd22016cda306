-- One page of the values of a dimension of sessions that match a search, in any order, with their number; one row with nulls where
-- the page is empty.
with {session_values},
ranked as materialized (
  select
    value,
    coalesce(visited.visitors, 0) as visitors,
    coalesce(visited.pageviews, 0) as pageviews,
    coalesce(started.sessions, 0) as sessions,
    coalesce(started.bounces, 0) as bounces,
    coalesce(started.duration_ms, 0) as duration_ms
  from visited
  full join started using (value)
  where (visited.visitors > 0 or started.sessions > 0)
    and (case when value = '' then '(none)' else value end) ~ (select search from params)
),
{sorted_page}

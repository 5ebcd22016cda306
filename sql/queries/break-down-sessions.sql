-- One page of the values of a dimension of sessions, with the total number of values; one row with nulls where the page is empty.
with {session_values},
ranked as materialized (
  select
    value,
    coalesce(visited.visitors, 0) as visitors,
    coalesce(visited.pageviews, 0) as pageviews,
    coalesce(started.sessions, 0) as sessions,
    coalesce(started.bounces, 0) as bounces,
    coalesce(started.duration_ms, 0)::float8 as "durationMs"
  from visited
  full join started using (value)
  where visited.visitors > 0 or started.sessions > 0
)
{ranked_page}

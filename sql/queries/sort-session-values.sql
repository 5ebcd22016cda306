-- One page of the values of a dimension of sessions that match a search, in any order, with their number; one row with nulls where
-- the page is empty. Visitors are aggregated into arrays and made distinct within each value: see rank-filtered-titles.sql.
with visited as (
  select
    value,
    pageviews,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    select
      value,
      count(*) filter (where type = 'pageview') as pageviews,
      array_agg(visitor_no) filter (where not is_service) as visitor_nos
    from filtered_hits
    group by value
  ) as counted
),
started as (
  select
    value,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms) as duration_ms
  from filtered_sessions
  group by value
),
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

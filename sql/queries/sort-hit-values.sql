-- One page of the values of a dimension of hits that match a search, in any order, with their number; one row with nulls where the
-- page is empty.
with {hit_values},
found as materialized (
  select *
  from counted
  where (visitor_nos is not null or session_nos is not null)
    and (case when value = '' then '(none)' else value end) ~ (select search from params)
),
seen as (
  select
    value,
    count(*) as sessions,
    count(*) filter (where started.pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0) as duration_ms
  from (select distinct value, unnest(session_nos) as session_no from found) as session
  left join (select session_no, pageviews, duration_ms from filtered_sessions) as started using (session_no)
  group by value
),
ranked as materialized (
  select
    value,
    found.pageviews,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors,
    coalesce(seen.sessions, 0) as sessions,
    coalesce(seen.bounces, 0) as bounces,
    coalesce(seen.duration_ms, 0) as duration_ms
  from found
  left join seen using (value)
),
{sorted_page}

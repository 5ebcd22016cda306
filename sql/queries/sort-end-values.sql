-- One page of the values of a dimension of the session's end that match a search, in any order, with their number; one row with nulls
-- where the page is empty. Everything is of sessions that started in the range.
with ranked as materialized (
  select
    value,
    pageviews,
    sessions,
    bounces,
    duration_ms,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    select
      value,
      sum(pageviews)::bigint as pageviews,
      count(*) as sessions,
      count(*) filter (where pageviews = 1) as bounces,
      sum(duration_ms) as duration_ms,
      array_agg(visitor_no) as visitor_nos
    from filtered_sessions
    group by value
  ) as counted
  where (case when value = '' then '(none)' else value end) ~ (select search from params)
),
{sorted_page}

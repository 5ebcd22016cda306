-- One page of the values of a dimension of the session's end that match a search, in any order, with their number; one row with nulls
-- where the page is empty.
with ranked as materialized (
  select
    value,
    pageviews,
    sessions,
    bounces,
    duration_ms,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    {end_values}
  ) as counted
  where (case when value = '' then '(none)' else value end) ~ (select search from params)
),
{sorted_page}

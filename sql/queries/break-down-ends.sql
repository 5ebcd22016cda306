-- One page of the values of a dimension of the session's end, with the total number of values; one row with nulls where the page is
-- empty.
with ranked as materialized (
  select
    value,
    pageviews,
    sessions,
    bounces,
    duration_ms::float8 as "durationMs",
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    {end_values}
  ) as counted
)
{ranked_page}

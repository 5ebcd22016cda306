-- One page of the values of a dimension of the session's end, with the total number of values; one row with nulls where the page is
-- empty. Everything is of sessions that started in the range.
with ranked as materialized (
  select
    value,
    pageviews,
    sessions,
    bounces,
    duration_ms::float8 as "durationMs",
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
)
select total.total, page.*
from (select count(*) as total from ranked) as total
left join lateral (
  select *
  from ranked
  order by visitors desc, sessions desc, value collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
) as page on true
order by page.visitors desc, page.sessions desc, page.value collate "C"

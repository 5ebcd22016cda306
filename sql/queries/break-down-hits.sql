-- One page of the values of a dimension of hits, with the total number of values; one row with nulls where the page is empty.
with {hit_values},
ranked as materialized (
  select
    value,
    pageviews,
    session_nos,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors,
    (select count(distinct session_no) from unnest(session_nos) as session_no) as sessions
  from counted
  where visitor_nos is not null or session_nos is not null
),
page as materialized (
  select *
  from ranked
  order by visitors desc, sessions desc, value collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
),
seen as (
  select value, count(*) filter (where started.pageviews = 1) as bounces, sum(duration_ms) as duration_ms
  from (select distinct value, unnest(session_nos) as session_no from page) as session
  join (select session_no, pageviews, duration_ms from filtered_sessions) as started using (session_no)
  group by value
)
select
  total.total,
  value,
  visitors,
  page.pageviews,
  sessions,
  coalesce(bounces, 0) as bounces,
  coalesce(duration_ms, 0)::float8 as "durationMs"
from (select count(*) as total from ranked) as total
left join page on true
left join seen using (value)
order by visitors desc, sessions desc, value collate "C"

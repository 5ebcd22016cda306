-- A page of the values of a dimension of hits and how many there are; one row with nulls where the page is empty.
with acted as (
  select value, count(*) filter (where own_hits > 0) as visitors, sum(pageviews)::bigint as pageviews
  from (
    select
      value,
      visitor_no,
      count(*) filter (where type = 'pageview') as pageviews,
      count(*) filter (where not is_service) as own_hits
    from kept_hits
    group by 1, 2
  ) as visitor
  group by value
),
-- Materialised, or each parallel worker makes all of it for its share of the sessions.
pair as materialized (
  select value, session_no
  from seen_hits
  group by 1, 2
),
started as (
  select value, count(*) as sessions, count(bounced.session_no) as bounces
  from pair
  left join (select session_no from kept_sessions where pageviews = 1) as bounced using (session_no)
  group by value
),
ranked as materialized (
  select
    value,
    coalesce(acted.visitors, 0) as visitors,
    coalesce(acted.pageviews, 0) as pageviews,
    coalesce(started.sessions, 0) as sessions,
    coalesce(started.bounces, 0) as bounces
  from acted
  full join started using (value)
  where acted.visitors > 0 or started.sessions > 0
)
select counted.total, page.*
from (select count(*) as total from ranked) as counted
left join lateral (
  select *
  from ranked
  order by visitors desc, sessions desc, value collate "C"
  limit (select "limit" from asked)
  offset (select "offset" from asked)
) as page on true
order by page.visitors desc, page.sessions desc, page.value collate "C"

-- One page of the values of a dimension of sessions, with the total number of values; one row with nulls where the page is empty.
-- Visitors are aggregated into arrays and made distinct within each value: see rank-filtered-titles.sql.
with acted as (
  select
    value,
    pageviews,
    (select count(distinct visitor_no) from unnest(acted_by) as visitor_no) as visitors
  from (
    select
      value,
      count(*) filter (where type = 'pageview') as pageviews,
      array_agg(visitor_no) filter (where not is_service) as acted_by
    from filtered_hits
    group by value
  ) as kept
),
started as (
  select value, count(*) as sessions, count(*) filter (where pageviews = 1) as bounces
  from filtered_sessions
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

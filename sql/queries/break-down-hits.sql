-- One page of the values of a dimension of hits, with the total number of values; one row with nulls where the page is empty.
-- Visitors and sessions are aggregated into arrays and made distinct within each value: see rank-filtered-titles.sql.
with met as (
  select
    value,
    count(*) filter (where type = 'pageview' and is_kept) as pageviews,
    array_agg(visitor_no) filter (where not is_service and is_kept) as acted,
    array_agg(session_no) filter (where is_seen) as seen_by
  from matching_hits
  group by value
),
ranked as materialized (
  select
    value,
    pageviews,
    seen_by,
    (select count(distinct visitor_no) from unnest(acted) as visitor_no) as visitors,
    (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
  from met
  where acted is not null or seen_by is not null
),
page as materialized (
  select *
  from ranked
  order by visitors desc, sessions desc, value collate "C"
  limit (select "limit" from asked)
  offset (select "offset" from asked)
),
bounced as (
  select value, count(distinct session_no) as bounces
  from (select value, unnest(seen_by) as session_no from page) as seen
  join (select session_no from filtered_sessions where pageviews = 1) as single using (session_no)
  group by value
)
select counted.total, value, visitors, pageviews, sessions, coalesce(bounces, 0) as bounces
from (select count(*) as total from ranked) as counted
left join page on true
left join bounced using (value)
order by visitors desc, sessions desc, value collate "C"

-- Counts of filtered hits and sessions in the range, without filters on hits.
with hit as (
  select
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as "customEvents"
  from filtered_hits
),
started as materialized (
  select
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs",
    array_agg(visitor_no) as visitor_nos
  from filtered_sessions
),
visit as (
  select unnest(visitor_nos) as visitor_no from started
  union all
  select visitor_no from hits_of_other_sessions
)
select
  hit.*,
  (select count(distinct visitor_no) from visit) as visitors,
  sessions,
  bounces,
  "durationMs"
from started
cross join hit

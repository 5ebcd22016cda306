-- Counts that break-down-sessions.sql ranks, for one row slice: every value, with one row for hits and one for sessions.
-- visitors: visitor_no instead of their number, since other slices may have the same visitors.
select
  value,
  count(*) filter (where type = 'pageview') as pageviews,
  array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors,
  0::bigint as sessions,
  0::bigint as bounces
from filtered_hits
group by value
union all
select value, 0, null, count(*), count(*) filter (where pageviews = 1)
from filtered_sessions
group by value

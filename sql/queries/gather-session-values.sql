-- What break-down-sessions.sql ranks, of a slice of visits: every value, in a row for hits and one for sessions.
-- visitors: who they are, since they may be in other slices, too.
select
  value,
  count(*) filter (where type = 'pageview') as pageviews,
  array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors,
  0::bigint as sessions,
  0::bigint as bounces
from kept_hits
group by value
union all
select value, 0, null, count(*), count(*) filter (where pageviews = 1)
from kept_sessions
group by value

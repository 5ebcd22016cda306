-- What break-down-hits.sql ranks, of a slice of visits: every value, with its visitors, which may be in other slices, too.
select
  value,
  count(*) filter (where type = 'pageview' and is_kept) as pageviews,
  array_send(array_agg(distinct visitor_no) filter (where not is_service and is_kept)) as visitors,
  count(distinct session_no) filter (where is_seen) as sessions,
  count(distinct session_no) filter (where is_seen and is_bounce) as bounces
from met_hits
left join (select session_no, true as is_bounce from kept_sessions where pageviews = 1) as single using (session_no)
group by value

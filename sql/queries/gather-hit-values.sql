-- Counts that break-down-hits.sql ranks, for one row slice: every value, with its visitors instead of their number, since other
-- slices may have the same visitors.
select
  value,
  count(*) filter (where type = 'pageview' and is_kept) as pageviews,
  array_send(array_agg(distinct visitor_no) filter (where not is_service and is_kept)) as visitors,
  count(distinct session_no) filter (where is_seen) as sessions,
  count(distinct session_no) filter (where is_seen and is_bounce) as bounces
from matching_hits
left join (select session_no, true as is_bounce from filtered_sessions where pageviews = 1) as single using (session_no)
group by value

select
  session_no,
  session_at,
  max(visitor_no) filter (where not is_service) as visitor_no,
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as custom_events,
  bool_or(not is_service)::integer as visitors
from filtered_hits
where session_no is not null
group by 1, 2

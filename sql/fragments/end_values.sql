-- What the values of a dimension of the session's end have; everything is of sessions that started in the range.
select
  value,
  sum(pageviews)::bigint as pageviews,
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  sum(duration_ms) as duration_ms,
  array_agg(visitor_no) as visitor_nos
from filtered_sessions
group by value

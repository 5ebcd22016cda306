-- What all kept sessions come to, as count-kept-sessions.sql gives it for a bucket.
select
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  coalesce(sum(duration_ms), 0)::float8 as "durationMs"
from kept_sessions

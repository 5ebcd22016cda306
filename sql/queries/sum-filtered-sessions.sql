-- Counts of all filtered sessions, with the columns of count-filtered-sessions.sql.
select
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  coalesce(sum(duration_ms), 0)::float8 as "durationMs"
from filtered_sessions

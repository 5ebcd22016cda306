-- One row for each bucket in which filtered sessions started; buckets as in count-filtered-hits.sql.
select
  width_bucket(started_at, (select bounds from asked)) - 1 as bucket,
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  sum(duration_ms)::float8 as "durationMs"
from filtered_sessions
group by 1

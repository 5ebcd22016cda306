-- Number of filtered sessions, and the time range that contains a page of them; columns as in locate-log-page.sql.
with counted as (
  select time_bucket(interval '15 minutes', started_at) as bucket, count(*) as sessions
  from filtered_sessions
  group by 1
),
passed as (
  select bucket, sessions, sum(sessions) over (order by bucket desc) as until
  from counted
)
select
  coalesce(sum(sessions), 0)::bigint as total,
  min(bucket) filter (where until > params."offset" and until - sessions < params."offset" + params."limit") as start,
  max(bucket) filter (where until > params."offset") + interval '15 minutes' as end,
  (params."offset" - min(until - sessions) filter (where until > params."offset"))::bigint as skipped
from params
left join passed on true
group by params."offset"

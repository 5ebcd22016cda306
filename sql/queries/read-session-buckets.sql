-- One row a 15-minute bucket of [$2, $3), UTC, in which sessions of site $1 started; empty buckets are absent.
-- Dirty buckets come from raw rows; what lies above the aggregate's watermark does so by itself.
with dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'sessions' and site_no = $1::int and bucket >= $2::timestamptz and bucket < $3::timestamptz
)
select bucket, sessions, bounces, duration_ms::float8 as "durationMs"
from sessions_15m
where site_no = $1::int
  and bucket >= $2::timestamptz
  and bucket < $3::timestamptz
  and bucket not in (select bucket from dirty)
union all
select
  dirty.bucket,
  count(*),
  count(*) filter (where sessions.pageviews = 1),
  sum(sessions.duration_ms)::float8
from dirty
join sessions on sessions.site_no = $1::int
  and sessions.started_at >= dirty.bucket
  and sessions.started_at < dirty.bucket + interval '15 minutes'
where sessions.started_at >= $2::timestamptz and sessions.started_at < $3::timestamptz
group by dirty.bucket

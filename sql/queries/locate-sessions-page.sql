-- Number of sessions of a site that started in [start, end), and the time range that contains the page of at most `limit` after the
-- newest `offset`; columns as in locate-log-page.sql. Dirty buckets are counted from raw rows.
with dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'sessions' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
),
counted as (
  select bucket, sessions
  from sessions_15m
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :end::timestamptz
    and bucket not in (select bucket from dirty)
  union all
  select dirty.bucket, started.sessions
  from dirty
  cross join lateral (
    select count(*) as sessions
    from sessions
    where sessions.site_no = :siteNo::int
      and sessions.started_at >= dirty.bucket and sessions.started_at < dirty.bucket + interval '15 minutes'
      and sessions.started_at >= :start::timestamptz and sessions.started_at < :end::timestamptz
  ) as started
),
passed as (
  select bucket, sessions, sum(sessions) over (order by bucket desc) as until
  from counted
  where sessions > 0
)
select
  coalesce(sum(sessions), 0)::bigint as total,
  min(bucket) filter (where until > :offset::bigint and until - sessions < :offset::bigint + :limit::bigint) as start,
  max(bucket) filter (where until > :offset::bigint) + interval '15 minutes' as end,
  (:offset::bigint - min(until - sessions) filter (where until > :offset::bigint))::bigint as skipped
from passed

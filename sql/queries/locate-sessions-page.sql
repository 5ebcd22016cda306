-- Number of sessions of a site that started in [start, end), and the time range that contains the page of at most `limit` after the
-- newest `offset`; columns as in locate-log-page.sql. Dirty buckets are counted from raw rows. Buckets since :refreshedTo come from the
-- session counts, and from rows where these do not reach back: before :countedFrom.
with dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'sessions' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
    and bucket < :refreshedTo::timestamptz
),
counted as (
  select bucket, sessions
  from sessions_15m_refreshed
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :end::timestamptz
    and bucket < :refreshedTo::timestamptz
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
  union all
  select bucket, sum(sessions)::bigint
  from session_counts
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :end::timestamptz
    and bucket >= :refreshedTo::timestamptz
    and bucket >= :countedFrom::timestamptz
  group by bucket
  union all
  select time_bucket(interval '15 minutes', started_at), count(*)
  from sessions
  where site_no = :siteNo::int
    and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and started_at >= :refreshedTo::timestamptz
    and started_at < :countedFrom::timestamptz
  group by 1
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

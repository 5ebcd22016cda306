-- One row for each 15-minute bucket of [:start, :end), UTC, in which sessions of site :siteNo started; empty buckets are absent.
-- Dirty buckets are counted from raw rows, and so are the sessions since :refreshedTo. Before the site's details_from kept buckets answer,
-- as in read-hit-buckets.sql.
with details as materialized (
  select coalesce((select details_from from sites where site_no = :siteNo::int), '-infinity') as since
),
dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'sessions' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
    and bucket < :refreshedTo::timestamptz
    and bucket >= (select since from details)
)
select bucket, sessions, bounces, duration_ms::float8 as "durationMs"
from sessions_15m_refreshed
where site_no = :siteNo::int
  and bucket >= :start::timestamptz
  and bucket < :end::timestamptz
  and bucket < :refreshedTo::timestamptz
  and bucket >= (select since from details)
  and bucket not in (select bucket from dirty)
union all
select dirty.bucket, session.sessions, session.bounces, session.duration_ms
from dirty
-- One index scan for each bucket: with wrong estimates a join would compare each session with each bucket.
cross join lateral (
  select
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as duration_ms
  from sessions
  where site_no = :siteNo::int
    and started_at >= dirty.bucket and started_at < dirty.bucket + interval '15 minutes'
    and started_at >= :start::timestamptz and started_at < :end::timestamptz
) as session
where session.sessions > 0
union all
select
  time_bucket(interval '15 minutes', started_at),
  count(*),
  count(*) filter (where pageviews = 1),
  sum(duration_ms)::float8
from sessions
where site_no = :siteNo::int
  and started_at >= :start::timestamptz and started_at < :end::timestamptz
  and started_at >= :refreshedTo::timestamptz
  and started_at >= (select since from details)
group by 1
union all
select bucket, sessions, bounces, duration_ms::float8
from kept_session_buckets
where site_no = :siteNo::int
  and bucket >= :start::timestamptz
  and bucket < least(:end::timestamptz, (select since from details))

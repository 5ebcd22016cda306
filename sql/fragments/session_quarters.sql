-- Sessions of a site that started in [:start, :end), by 15-minute bucket, as `counted`; several may be of the same bucket.
-- Dirty buckets are counted from raw rows, and so is what is since :refreshedTo.
dirty as materialized (
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
  select time_bucket(interval '15 minutes', started_at), count(*)
  from sessions
  where site_no = :siteNo::int
    and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and started_at >= :refreshedTo::timestamptz
  group by 1
)

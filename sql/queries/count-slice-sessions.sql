-- Counts of the sessions of site $1 that started in [$2, $3) and have their last hit in [$4, $5); $4 null: any time before $5.
select
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  coalesce(sum(duration_ms), 0)::float8 as "durationMs"
from (
  select pageviews, duration_ms
  from sessions
  where $4::timestamptz is null
    and site_no = $1::int and started_at >= $2::timestamptz and started_at < $3::timestamptz
    and last_at < $5::timestamptz
  union all
  select pageviews, duration_ms
  from (
    select distinct session_at, session_no
    from events
    where site_no = $1::int and at >= $4::timestamptz and at < $5::timestamptz
      and session_at >= $2::timestamptz and session_at < $3::timestamptz
  ) as touched
  cross join lateral (
    select *
    from sessions
    where site_no = $1::int and started_at = touched.session_at and session_no = touched.session_no
    limit 1
  ) as session
  where last_at >= $4::timestamptz and last_at < $5::timestamptz
) as chosen

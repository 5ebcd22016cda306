-- Sessions of a row slice (slice_sessions.sql) that saw a title, by the quarter-hour in which they started, Unix milliseconds.
-- Sessions and hits are sorted together by session instead of joined, as in count-slice-values.sql.
with chosen as materialized (
  {slice_sessions}
),
saw as (
  select session_no, max(started_at) as started_at
  from (
    select session_no, started_at, false as is_seen
    from chosen
    union all
    select session_no, null, true
    from events
    where site_no = :siteNo::int and title = :title::text
      and type not in ('engagement', 'identify') and not is_service
      and session_at >= :start::timestamptz and session_at < :end::timestamptz
      and at >= (select min(first_at) from chosen) and at <= (select max(last_at) from chosen)
  ) as either
  group by session_no
  having bool_or(is_seen) and max(started_at) is not null
)
select (floor(extract(epoch from started_at) / 900) * 900000)::bigint as at, count(*) as count
from saw
group by 1

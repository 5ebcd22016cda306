-- Updates stored sessions with the changes that hits made; one array for each column, in this order.
-- Written as an insert that always conflicts: it uses the unique index for each row. The plan of an update with a join depends on
-- estimates, and compared each row with all sessions of the time. Columns that never change are sent as empty constants: the
-- update does not read them.
insert into sessions (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  visitor_no, visit_count, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, duration_ms
)
select
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  0, 0, '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '',
  (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  $1::int[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::int[],
  $7::int[], $8::text[], $9::timestamptz[]
) as touched (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since
)
on conflict (site_no, started_at, session_no) do update
set
  first_at = excluded.first_at,
  last_at = excluded.last_at,
  duration_ms = excluded.duration_ms,
  pageviews = excluded.pageviews,
  events = excluded.events,
  user_id = excluded.user_id,
  user_since = excluded.user_since

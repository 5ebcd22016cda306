-- What hits changed of sessions that are there; one array a column, in this order.
-- As an insert that always conflicts, by the unique index row by row: an update that joins the rows would have its plan chosen
-- by estimates, and compared each with all sessions of the time. What never changes of a session is not sent: of the rest
-- of a row that is there nothing is read.
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

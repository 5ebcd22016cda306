-- Sessions that hits opened, and what hits changed of those that are there; one array a column, in this order.
-- By the unique index row by row: an update that joins the rows would have its plan chosen by estimates, and compared each
-- with all sessions of the time.
insert into sessions (
  site_no, started_at, session_no, visitor_no, first_at, last_at, pageviews, events, visit_count,
  user_id, user_since, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen, duration_ms
)
select
  site_no, started_at, session_no, visitor_no, first_at, last_at, pageviews, events, visit_count,
  user_id, user_since, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen,
  (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  $1::int[], $2::timestamptz[], $3::bigint[], $4::int[], $5::timestamptz[], $6::timestamptz[],
  $7::int[], $8::int[], $9::int[], $10::text[], $11::timestamptz[], $12::text[], $13::text[],
  $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
  $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[],
  $28::text[], $29::text[], $30::text[], $31::text[]
) as opened (
  site_no, started_at, session_no, visitor_no, first_at, last_at, pageviews, events, visit_count,
  user_id, user_since, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen
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

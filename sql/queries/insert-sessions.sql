-- Inserts sessions that hits opened; one array for each column, in this order.
insert into sessions (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  visitor_no, visit_count, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen, duration_ms
)
select
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  visitor_no, visit_count, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen,
  (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  $1::int[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::int[],
  $7::int[], $8::text[], $9::timestamptz[], $10::int[], $11::int[], $12::text[], $13::text[],
  $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
  $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[],
  $28::text[], $29::text[], $30::text[], $31::text[]
) as opened (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  visitor_no, visit_count, hostname, entry_path, referrer, source, channel, utm_source, utm_medium,
  utm_campaign, utm_content, utm_term, browser, os, size, country, region, city, browser_version,
  os_version, language, screen
)

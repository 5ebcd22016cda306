-- Hits; one array a column, in this order. props travels as text, since the driver would encode jsonb[] twice.
insert into events (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, browser_version, os, os_version, size, country, region, city, language,
  screen_width, screen_height, props, scroll, engaged_ms, page_at, page_id, revenue_minor,
  revenue_currency, error_id, error_message, error_stack, error_file, error_line, error_column
)
select
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, browser_version, os, os_version, size, country, region, city, language,
  screen_width, screen_height, props::jsonb, scroll, engaged_ms, page_at, page_id, revenue_minor,
  revenue_currency, error_id, error_message, error_stack, error_file, error_line, error_column
from unnest(
  $1::int[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::bigint[],
  $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
  $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
  $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[],
  $29::text[], $30::text[], $31::int[], $32::int[], $33::text[], $34::smallint[], $35::bigint[],
  $36::timestamptz[], $37::uuid[], $38::bigint[], $39::text[], $40::uuid[], $41::text[],
  $42::text[], $43::text[], $44::text[], $45::text[]
) as hit (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, browser_version, os, os_version, size, country, region, city, language,
  screen_width, screen_height, props, scroll, engaged_ms, page_at, page_id, revenue_minor,
  revenue_currency, error_id, error_message, error_stack, error_file, error_line, error_column
)
on conflict (site_no, at, id) do nothing

-- Inserts hits; one array for each column, in this order. props is sent as text, since the driver would encode jsonb[] twice.
insert into events (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, os, size, country, region, city, props, scroll, engaged_ms, page_at,
  revenue_minor, revenue_currency, error_id, error_message, error_stack, error_file, error_line,
  error_column
)
select
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, os, size, country, region, city, props::jsonb, scroll, engaged_ms, page_at,
  revenue_minor, revenue_currency, error_id, error_message, error_stack, error_file, error_line,
  error_column
from unnest(
  $1::int[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::bigint[],
  $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
  $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
  $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[],
  $29::text[], $30::smallint[], $31::bigint[], $32::timestamptz[], $33::bigint[], $34::text[],
  $35::uuid[], $36::text[], $37::text[], $38::text[], $39::text[], $40::text[]
) as hit (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, browser, os, size, country, region, city, props, scroll, engaged_ms, page_at,
  revenue_minor, revenue_currency, error_id, error_message, error_stack, error_file, error_line,
  error_column
)
on conflict (site_no, at, id) do nothing

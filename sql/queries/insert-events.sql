-- Inserts hits; one array for each column. props is sent as text, since the driver would encode jsonb[] twice.
insert into events (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title, {copied_columns},
  props, scroll, engaged_ms, page_at, revenue_minor, revenue_currency, error_id, error_message, error_stack, error_file,
  error_line, error_column
)
select
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title, {copied_columns},
  props::jsonb, scroll, engaged_ms, page_at, revenue_minor, revenue_currency, error_id, error_message, error_stack,
  error_file, error_line, error_column
from unnest(
  :siteNo::int[], :at::timestamptz[], :id::uuid[], :type::text[], :name::text[], :visitorNo::int[], :sessionNo::bigint[],
  :sessionAt::timestamptz[], :hostname::text[], :path::text[], :url::text[], :query::text[], :title::text[],
  {copied_arrays},
  :props::text[], :scroll::smallint[], :engagedMs::bigint[], :pageAt::timestamptz[], :revenueMinor::bigint[],
  :revenueCurrency::text[], :errorId::uuid[], :errorMessage::text[], :errorStack::text[], :errorFile::text[],
  :errorLine::text[], :errorColumn::text[]
) as hit (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, query, title, {copied_columns},
  props, scroll, engaged_ms, page_at, revenue_minor, revenue_currency, error_id, error_message, error_stack, error_file,
  error_line, error_column
)
on conflict (site_no, at, id) do nothing

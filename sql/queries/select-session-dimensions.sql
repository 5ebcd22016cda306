-- Dimensions that sessions took from their opening hits: sessions $4 (session_no) of visitors $1 (visitor_no), started in [$2,
-- $3].
select
  session_no as "sessionNo",
  started_at as "startedAt",
  hostname,
  entry_path as "entryPath",
  referrer,
  source,
  channel,
  utm_source as "utmSource",
  utm_medium as "utmMedium",
  utm_campaign as "utmCampaign",
  utm_content as "utmContent",
  utm_term as "utmTerm",
  browser,
  browser_version as "browserVersion",
  os,
  os_version as "osVersion",
  size,
  country,
  region,
  city,
  language,
  screen
from sessions
where visitor_no = any($1::int[]) and started_at >= $2::timestamptz and started_at <= $3::timestamptz
  and session_no = any($4::bigint[])

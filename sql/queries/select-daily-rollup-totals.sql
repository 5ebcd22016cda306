-- Rollups of the days of sites $1 that begin at $2 and end at $3. visitors: serialized, in base64: the driver reads text, and the
-- text form of bytea is 1.5 times as long.
select
  day.site_no as "siteNo",
  (extract(epoch from day.starts_at) * 1000)::bigint as start,
  (extract(epoch from day.ends_at) * 1000)::bigint as "end",
  pageviews,
  custom_events as "customEvents",
  sessions,
  bounces,
  duration_ms::float8 as "durationMs",
  encode(visitors, 'base64') as visitors
from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as day (site_no, starts_at, ends_at)
join daily_rollups using (site_no, starts_at, ends_at)

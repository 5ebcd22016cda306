-- stamp: changes each time the rollup is written.
select
  xmin::text as stamp,
  (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
  pageviews,
  custom_events as "customEvents",
  sessions,
  bounces,
  duration_ms::float8 as "durationMs",
  visitors
from daily_rollups
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz

-- stamp: another whenever the fold was written.
select
  xmin::text as stamp,
  (extract(epoch from folded_to) * 1000)::bigint as "foldedTo",
  pageviews,
  custom_events as "customEvents",
  sessions,
  bounces,
  duration_ms::float8 as "durationMs",
  visitors
from day_folds
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz

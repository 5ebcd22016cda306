-- Rollups of the sites $1 in [$2, $3) that agree with the stored rows, ascending. Days with dirty buckets are absent.
-- version: changes each time a rollup of the day changes (totals, visitors or values).
select
  site_no as "siteNo",
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end",
  (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
  version
from daily_rollups
where site_no = any($1::int[]) and starts_at >= $2::timestamptz and ends_at <= $3::timestamptz
  and not exists (
    select from dirty_buckets
    where aggregate = 'daily_rollups' and dirty_buckets.site_no = daily_rollups.site_no
      and bucket >= starts_at and bucket < ends_at
  )
order by site_no, starts_at, ends_at

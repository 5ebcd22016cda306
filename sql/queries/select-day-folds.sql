-- Folds of the sites $1 inside [$2, $3) that hold what is stored, in order. A day that is marked is not among them.
-- version: another whenever what is folded of the day changed: totals, visitors and values.
select
  site_no as "siteNo",
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end",
  (extract(epoch from folded_to) * 1000)::bigint as "foldedTo",
  version
from day_folds
where site_no = any($1::int[]) and starts_at >= $2::timestamptz and ends_at <= $3::timestamptz
  and not exists (
    select from dirty_buckets
    where aggregate = 'folds' and dirty_buckets.site_no = day_folds.site_no
      and bucket >= starts_at and bucket < ends_at
  )
order by site_no, starts_at, ends_at

-- As the common one: a function holds the watermark.
with edge as materialized (
  select watermark from hold_watermarks(array[:aggregate::text])
)
insert into dirty_buckets (aggregate, site_no, bucket)
select :aggregate::text, site_no, bucket
from unnest(:siteNos::int[], :buckets::timestamptz[]) as given (site_no, bucket), edge
where bucket < watermark
order by site_no, bucket
on conflict (aggregate, site_no, bucket) do update set version = excluded.version
returning site_no as "siteNo"

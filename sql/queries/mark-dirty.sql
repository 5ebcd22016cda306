-- Marks the buckets (:times: any time in the bucket) that lie below the watermark of :aggregate: their materialised rows may be
-- stale. Because of the share lock, a transaction that moves the watermark waits for this one.
-- Inserts in key order, to avoid deadlocks between writers.
with edge as materialized (
  select watermark from watermarks where aggregate = :aggregate::text for share
),
touched as (
  select distinct site_no, time_bucket(interval '15 minutes', at) as bucket
  from unnest(:siteNos::int[], :times::timestamptz[]) as given (site_no, at)
)
insert into dirty_buckets (aggregate, site_no, bucket)
select :aggregate::text, touched.site_no, touched.bucket
from touched, edge
where touched.bucket < edge.watermark
order by touched.site_no, touched.bucket
on conflict (aggregate, site_no, bucket) do update set version = nextval('dirty_versions')

-- Marks the buckets (:times: any time in the bucket) of days whose rollups may contain the changed row: rows whose time in
-- :changedAts is before the watermark. In all else like mark-dirty.sql.
with edge as materialized (
  select watermark from watermarks where aggregate = 'daily_rollups' for share
),
touched as (
  select distinct site_no, time_bucket(interval '15 minutes', at) as bucket
  from unnest(:siteNos::int[], :times::timestamptz[], :changedAts::timestamptz[]) as given (site_no, at, changed_at), edge
  where changed_at < watermark
)
insert into dirty_buckets (aggregate, site_no, bucket)
select 'daily_rollups', site_no, bucket
from touched
order by site_no, bucket
on conflict (aggregate, site_no, bucket) do update set version = nextval('dirty_versions')

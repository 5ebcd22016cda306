-- As the common one: a function holds the watermarks.
with edge as materialized (
  select aggregate, watermark from hold_watermarks(:aggregates::text[])
)
insert into dirty_buckets (aggregate, site_no, bucket)
select aggregate, site_no, bucket
from unnest(:siteNos::int[], :buckets::timestamptz[], :changedAts::timestamptz[]) as given (site_no, bucket, changed_at),
  edge
where changed_at < watermark and (aggregate <> 'recent_hits' or bucket >= watermark - interval '3 hours')
order by aggregate, site_no, bucket
on conflict (aggregate, site_no, bucket) do update set version = excluded.version
returning aggregate

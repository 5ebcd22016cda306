-- Deletes marks of :aggregate that have not been marked again since they were read, which changes their version.
-- A locked mark is being marked again by another transaction: it stays, without a wait for that transaction.
with refreshed as (
  select dirty_buckets.site_no, dirty_buckets.bucket
  from unnest(:siteNos::int[], :buckets::timestamptz[], :versions::bigint[]) as given (site_no, bucket, version)
  join dirty_buckets
    on dirty_buckets.aggregate = :aggregate::text
    and dirty_buckets.site_no = given.site_no
    and dirty_buckets.bucket = given.bucket
    and dirty_buckets.version = given.version
  for update of dirty_buckets skip locked
)
delete from dirty_buckets
using refreshed
where dirty_buckets.aggregate = :aggregate::text
  and dirty_buckets.site_no = refreshed.site_no
  and dirty_buckets.bucket = refreshed.bucket

-- As the common one, but waits for a transaction that is marking a bucket again: Citus locks no rows of several shards at once.
delete from dirty_buckets
using unnest(:siteNos::int[], :buckets::timestamptz[], :versions::bigint[]) as refreshed (site_no, bucket, version)
where dirty_buckets.aggregate = :aggregate::text
  and dirty_buckets.site_no = any(:siteNos::int[])
  and dirty_buckets.site_no = refreshed.site_no
  and dirty_buckets.bucket = refreshed.bucket
  and dirty_buckets.version = refreshed.version

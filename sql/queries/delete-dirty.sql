-- Takes marks off aggregate $1 (by $2 site_no, $3 bucket) where nobody marked them again meanwhile ($4 version).
delete from dirty_buckets
using unnest($2::int[], $3::timestamptz[], $4::bigint[]) as refreshed (site_no, bucket, version)
where dirty_buckets.aggregate = $1::text
  and dirty_buckets.site_no = refreshed.site_no
  and dirty_buckets.bucket = refreshed.bucket
  and dirty_buckets.version = refreshed.version

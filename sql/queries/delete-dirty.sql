-- Takes marks off aggregate $1 (by $2 site_no, $3 bucket) where nobody marked them again meanwhile ($4 version).
-- One that is locked is being marked again: it stays, and nobody waits for the other.
with refreshed as (
  select dirty_buckets.site_no, dirty_buckets.bucket
  from unnest($2::int[], $3::timestamptz[], $4::bigint[]) as given (site_no, bucket, version)
  join dirty_buckets
    on dirty_buckets.aggregate = $1::text
    and dirty_buckets.site_no = given.site_no
    and dirty_buckets.bucket = given.bucket
    and dirty_buckets.version = given.version
  for update of dirty_buckets skip locked
)
delete from dirty_buckets
using refreshed
where dirty_buckets.aggregate = $1::text
  and dirty_buckets.site_no = refreshed.site_no
  and dirty_buckets.bucket = refreshed.bucket

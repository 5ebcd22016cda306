-- The oldest marks of aggregate $1, with the version they have now; at most $2, in [$3, $4), null for everywhere.
select site_no as "siteNo", bucket, version
from dirty_buckets
where
  aggregate = $1::text
  and bucket >= coalesce($3::timestamptz, '-infinity')
  and bucket < coalesce($4::timestamptz, 'infinity')
order by bucket, site_no
limit $2::int

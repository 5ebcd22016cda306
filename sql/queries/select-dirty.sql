-- The oldest marks of aggregate $1, with their present version; at most $2, in [$3, $4), null for no bound.
select site_no as "siteNo", bucket, version
from dirty_buckets
where
  aggregate = $1::text
  and bucket >= coalesce($3::timestamptz, '-infinity')
  and bucket < coalesce($4::timestamptz, 'infinity')
order by bucket, site_no
limit $2::int

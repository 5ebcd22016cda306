-- The oldest marks of aggregate $1, with the version they have now; at most $2.
select site_no as "siteNo", bucket, version
from dirty_buckets
where aggregate = $1::text
order by bucket, site_no
limit $2::int

-- Marks of all sites, and those of site $1, of every aggregate.
select count(*)::int as "all", (count(*) filter (where site_no = $1::int))::int as "ofSite"
from dirty_buckets

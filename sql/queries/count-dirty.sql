-- Dirty buckets of every aggregate: of all sites, and of site $1.
select count(*)::int as "all", (count(*) filter (where site_no = $1::int))::int as "ofSite"
from dirty_buckets

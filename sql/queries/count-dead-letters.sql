-- $1: the site, null for all sites.
select count(*)::int as count
from dead_letters
where $1::int is null or site_no = $1

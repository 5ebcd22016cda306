-- Ordered by the time of the hits, so that a pageview comes before its engagement. $1: the site, null for all.
select id
from dead_letters
where $1::int is null or site_no = $1
order by at, id

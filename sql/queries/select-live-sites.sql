-- Those of the sites $1 (site_no) that are not deleted.
select site_no as "siteNo"
from sites
where site_no = any($1::int[]) and deleted_at is null

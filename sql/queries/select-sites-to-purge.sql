-- Deleted sites of which something may be left, the longest deleted first.
select site_no as "siteNo", deleted_at as "deletedAt"
from sites
where deleted_at is not null and purged_at is null
order by deleted_at, site_no

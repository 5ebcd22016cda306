-- Deleted sites that may still have data, the first deleted first.
select site_no as "siteNo", deleted_at as "deletedAt"
from sites
where deleted_at is not null and purged_at is null
order by deleted_at, site_no

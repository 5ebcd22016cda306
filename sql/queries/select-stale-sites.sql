-- Sites, not deleted, with subscriptions that must be worked out anew.
select site_no as "siteNo"
from sites
where deleted_at is null and site_no in (select site_no from stale_subscriptions)
order by site_no

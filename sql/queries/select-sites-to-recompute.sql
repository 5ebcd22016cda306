-- Sites, not deleted, that have subscriptions in the recompute queue.
select site_no as "siteNo"
from sites
where deleted_at is null and site_no in (select site_no from recompute_queue)
order by site_no

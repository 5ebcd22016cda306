-- At most $1 sites, the newest first.
select
  site_no as "siteNo",
  id as "siteId",
  domain,
  timezone,
  currency,
  tracking_mode as "trackingMode",
  track_errors as "trackErrors",
  identify_secret as "identifySecret",
  tracking_key as "trackingKey"
from sites
where deleted_at is null
order by site_no desc
limit $1

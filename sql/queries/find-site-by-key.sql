select
  site_no as "siteNo",
  id as "siteId",
  domain,
  timezone,
  currency,
  tracking_mode as "trackingMode"
from sites
where tracking_key = $1 and deleted_at is null

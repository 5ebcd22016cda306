select
  site_no as "siteNo",
  id as "siteId",
  domain,
  timezone,
  currency,
  tracking_mode as "trackingMode",
  track_errors as "trackErrors",
  identify_secret as "identifySecret"
from sites
where tracking_key = $1 and deleted_at is null

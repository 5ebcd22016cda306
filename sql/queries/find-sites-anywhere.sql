-- Sites of all teams, by id ($1) or by domain ($2); both null for every site.
select
  site_no as "siteNo",
  id as "siteId",
  timezone,
  tracking_mode as "trackingMode",
  first_event_at as "firstEventAt"
from sites
where
  deleted_at is null
  and ($1::uuid is null or id = $1)
  and ($2::text is null or domain = $2)
order by site_no

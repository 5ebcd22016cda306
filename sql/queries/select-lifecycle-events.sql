select name, key, at, visitor_id as "visitorId"
from lifecycle_events
where site_no = $1::int and subscription_id = $2::text

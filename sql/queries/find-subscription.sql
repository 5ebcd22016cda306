select state
from subscriptions
where site_no = $1::int and subscription_id = $2::text

-- At most $2 subscriptions of site $1 that must be worked out anew.
select subscription_id as "subscriptionId"
from stale_subscriptions
where site_no = $1::int
order by subscription_id
limit $2::int

-- At most $2 subscriptions of site $1 from the recompute queue.
select subscription_id as "subscriptionId"
from recompute_queue
where site_no = $1::int
order by subscription_id
limit $2::int

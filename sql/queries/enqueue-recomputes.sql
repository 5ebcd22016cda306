-- Adds subscriptions $2 of site $1 to the recompute queue.
insert into recompute_queue (site_no, subscription_id)
select $1::int, subscription_id
from unnest($2::text[]) as subscription_id
on conflict do nothing

-- Subscriptions $2 of site $1 must be worked out anew.
insert into stale_subscriptions (site_no, subscription_id)
select $1::int, subscription_id
from unnest($2::text[]) as subscription_id
on conflict do nothing

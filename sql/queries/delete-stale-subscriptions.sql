-- Subscriptions $2 of site $1 were worked out anew.
delete from stale_subscriptions
where site_no = $1::int and subscription_id = any($2::text[])

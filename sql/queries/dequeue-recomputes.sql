-- Removes subscriptions $2 of site $1 from the recompute queue, after they were recomputed.
delete from recompute_queue
where site_no = $1::int and subscription_id = any($2::text[])

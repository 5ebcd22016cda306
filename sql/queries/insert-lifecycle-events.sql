-- Inserts lifecycle events of subscription $2 of site $1, of visitor $6: one element each of $3 name, $4 key, $5 time.
insert into lifecycle_events (site_no, subscription_id, name, key, at, visitor_id)
select $1::int, $2::text, name, key, at, $6::uuid
from unnest($3::text[], $4::text[], $5::timestamptz[]) as told (name, key, at)

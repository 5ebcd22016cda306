-- Deletes lifecycle events of subscription $2 of site $1: one element each of $3 name, $4 key.
delete from lifecycle_events
using unnest($3::text[], $4::text[]) as untold (name, key)
where
  lifecycle_events.site_no = $1::int
  and lifecycle_events.subscription_id = $2::text
  and lifecycle_events.name = untold.name
  and lifecycle_events.key = untold.key

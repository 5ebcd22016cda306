-- Milestones of subscription $2 of site $1: one element each of $3 name, $4 key.
delete from milestones
using unnest($3::text[], $4::text[]) as untold (name, key)
where
  milestones.site_no = $1::int
  and milestones.subscription_id = $2::text
  and milestones.name = untold.name
  and milestones.key = untold.key

-- Records that a subscription ($3 its id, $4 false) or a customer ($4 true) of site $1 names the coupons and prices $2.
insert into price_dependents (site_no, object_id, holder_id, is_customer)
select $1::int, object_id, $3::text, $4::boolean
from unnest($2::text[]) as object_id
on conflict do nothing

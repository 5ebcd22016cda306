-- Subscriptions of site $1 whose price depends on object $2 (a coupon or price), directly or through their customer.
select holder_id as "subscriptionId"
from price_dependents
where site_no = $1::int and object_id = $2::text and not is_customer
union
select facts.subscription_id
from price_dependents as dependents
join processor_facts as facts on facts.site_no = $1::int and facts.customer_id = dependents.holder_id
where
  dependents.site_no = $1::int
  and dependents.object_id = $2::text
  and dependents.is_customer
  and facts.subscription_id is not null

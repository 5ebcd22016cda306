-- Subscriptions of site $1 whose price depends on object $2 (a coupon or price), whether by themselves or through their
-- customer.
with naming as (
  select subscription_id, customer_id
  from processor_facts
  where
    site_no = $1::int
    and kind in ('subscription', 'discount', 'items')
    and strpos(body::text, to_json($2::text)::text) > 0
)
select subscription_id as "subscriptionId" from naming where subscription_id is not null
union
select facts.subscription_id
from naming
join processor_facts as facts on facts.site_no = $1::int and facts.customer_id = naming.customer_id
where naming.subscription_id is null and facts.subscription_id is not null

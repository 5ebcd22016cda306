-- Which subscriptions must be worked out anew when a coupon or price turns out to be different.

-- One row a coupon or price and subscription that was ever said to have it, or customer who was.
create table price_dependents (
  site_no integer not null,
  -- Of the coupon or price.
  object_id text not null,
  -- Of the subscription, or of the customer for all of theirs.
  holder_id text not null,
  is_customer boolean not null,
  primary key (site_no, object_id, holder_id, is_customer)
);

insert into price_dependents (site_no, object_id, holder_id, is_customer)
select distinct
  fact.site_no, named.id, coalesce(fact.subscription_id, fact.customer_id), fact.subscription_id is null
from processor_facts as fact
cross join lateral (
  -- A coupon is given whole or by its id.
  select coalesce(coupon ->> 'id', coupon #>> '{}') as id
  from (
    select jsonb_path_query(fact.body, '$.discount.coupon')
    union all
    select jsonb_path_query(fact.body, '$.discounts[*].coupon')
    union all
    select jsonb_path_query(fact.body, '$.items[*].discounts[*].coupon')
  ) as coupons (coupon)
  union all
  select price ->> 'id'
  from jsonb_path_query(
    fact.body,
    '$.items[*].price ? ((@.isTiered == true && @.tiers == null) || @.currency != $currency)',
    jsonb_build_object('currency', fact.body -> 'currency')
  ) as price
) as named
where
  fact.kind in ('subscription', 'discount', 'items')
  and named.id is not null
  and coalesce(fact.subscription_id, fact.customer_id) is not null;

-- Subscriptions that are not worked out anew yet: too many for the transaction of the event that changed them.
create table stale_subscriptions (
  site_no integer not null,
  subscription_id text not null,
  primary key (site_no, subscription_id)
);

-- A list of entries that wait to be put in place would be read through by every event.
alter index processor_facts_by_sale set (fastupdate = off);

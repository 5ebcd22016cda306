-- By how many the customers and subscriptions with MRR above 0 change in each part of the range, from the movements that the filters
-- keep; bucket -1: before the range. Corrections in one part are netted first: they are no change.
with
  of_subscriptions as (
    select
      width_bucket(filtered_movements.at, (select bounds from params)) - 1 as bucket,
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id) as customer,
      filtered_movements.subscription_id,
      sum(filtered_movements.amount_minor) as amount
    from filtered_movements
    left join subscriptions
      on subscriptions.site_no = :siteNo::int
      and subscriptions.subscription_id = filtered_movements.subscription_id
    where filtered_movements.currency = (select currency from params)
    group by 1, 2, 3
  ),
  net as (
    select bucket, 'subscription' as unit, subscription_id as id, amount from of_subscriptions
    union all
    select bucket, 'customer', customer, sum(amount) from of_subscriptions group by 1, 3
  ),
  running as (
    select *, sum(amount) over (partition by unit, id order by bucket) as after
    from net
  )
select bucket, unit, sum((after > 0)::integer - (after - amount > 0)::integer)::bigint as change
from running
group by 1, 2

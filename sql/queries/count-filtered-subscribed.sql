-- Customers and subscriptions with MRR above 0, from the movements that the filters keep: before the time in `bounds`, and at the
-- end of the range.
with
  of_subscriptions as (
    select
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id) as customer,
      filtered_movements.subscription_id,
      coalesce(sum(filtered_movements.amount_minor) filter (where filtered_movements.at < (select bounds[1] from params)), 0)
        as before,
      sum(filtered_movements.amount_minor) as after
    from filtered_movements
    left join subscriptions
      on subscriptions.site_no = :siteNo::int
      and subscriptions.subscription_id = filtered_movements.subscription_id
    where filtered_movements.currency = (select currency from params)
    group by 1, 2
  ),
  of_customers as (
    select sum(before) as before, sum(after) as after
    from of_subscriptions
    group by customer
  )
select
  (select count(*) from of_customers where before > 0) as "customersBefore",
  (select count(*) from of_customers where after > 0) as "customersAfter",
  (select count(*) from of_subscriptions where before > 0) as "subscriptionsBefore",
  (select count(*) from of_subscriptions where after > 0) as "subscriptionsAfter"

-- MRR movements of customers by the period of their first payment (`began`) and that of the movement (`came`; the first of them has
-- everything before it, too).
select began, came, sum(amount_minor)::text as mrr
from (
  select
    began,
    greatest(began, width_bucket(movement.at, (select bounds from params))) as came,
    amount_minor
  from (
    select payments.customer, width_bucket(filtered_payments.at, (select bounds from params)) as began
    from filtered_payments
    join payments on payments.id = filtered_payments.payment_id and payments.site_no = :siteNo::int
    where filtered_payments.is_first_of_customer and filtered_payments.currency = (select currency from params)
  ) as members
  join subscriptions on 'c:' || subscriptions.customer_id = members.customer
  join mrr_movements as movement using (site_no, subscription_id)
  where site_no = (select "siteNo" from params)::int
    and movement.currency = (select currency from params)
    and movement.at < (select until[1]::timestamptz from params)
) as moved
group by began, came

-- As break-down-money, of the payments and movements that the filters keep.
with
  paid as materialized (
    select
      filtered_payments.value, payments.customer, filtered_payments.amount_minor - filtered_payments.refunded_minor as net,
      filtered_payments.refunded_minor < filtered_payments.amount_minor as is_kept, filtered_payments.is_first_of_customer
    from filtered_payments
    left join payments on payments.id = filtered_payments.payment_id
    where filtered_payments.currency = (select currency from params)
  ),
  paid_by_value as (
    select
      value, sum(net) as revenue, count(*) filter (where is_kept) as payments,
      count(distinct customer) filter (where is_kept) as customers,
      count(*) filter (where is_first_of_customer) as new_customers
    from paid
    group by value
  ),
  moved_by_value as (
    select value, sum(amount_minor) as mrr
    from filtered_movements
    where currency = (select currency from params) and at >= (select bounds[1] from params)
    group by value
    having sum(amount_minor) <> 0
  )
select
  value,
  coalesce(revenue, 0)::text as revenue,
  coalesce(payments, 0) as payments,
  coalesce(customers, 0) as customers,
  coalesce(new_customers, 0) as "newCustomers",
  coalesce(mrr, 0)::text as mrr,
  count(*) over () as total
from paid_by_value
full join moved_by_value using (value)
order by
  case (select sort from params)
    when 'revenue' then coalesce(revenue, 0)
    when 'payments' then coalesce(payments, 0)
    when 'customers' then coalesce(customers, 0)
    when 'new_customers' then coalesce(new_customers, 0)
    when 'mrr' then coalesce(mrr, 0)
  end desc,
  coalesce(revenue, 0) desc,
  value
limit (select "limit" from params)
offset (select "offset" from params)

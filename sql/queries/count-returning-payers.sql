-- Customers by the period of their first payment (`began`) and that of later payments (`came`); null: all of the cohort.
with
members as (
  select payments.customer, width_bucket(filtered_payments.at, (select bounds from params)) as began
  from filtered_payments
  join payments on payments.id = filtered_payments.payment_id and payments.site_no = :siteNo::int
  where filtered_payments.is_first_of_customer and filtered_payments.currency = (select currency from params)
)
select began, null::int as came, count(*)::int as customers
from members
group by began
union all
select began, came, count(distinct customer)::int as customers
from (
  select members.customer, began, width_bucket(paid_at, (select bounds from params)) as came
  from members
  join payments using (customer)
  where payments.site_no = (select "siteNo" from params)::int
    and payments.currency = (select currency from params)
    and payments.refunded_minor < payments.amount_minor
    and paid_at >= (select bounds[1]::timestamptz from params)
    and paid_at < (select until[1]::timestamptz from params)
) as paid
where came > began
group by began, came

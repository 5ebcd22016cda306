-- Customers of cohorts (:customers, each in that of :began) by the period of later payments (`came`), up to :until. Periods are numbered from 1 and begin at :bounds.
select began, came, count(distinct customer)::int as customers
from (
  select member.customer, member.began, width_bucket(paid_at, :bounds::timestamptz[]) as came
  from unnest(:customers::text[], :began::int[]) as member (customer, began)
  join payments
    on payments.site_no = :siteNo::int and payments.currency = :currency::text and payments.customer = member.customer
  where payments.refunded_minor < payments.amount_minor
    and paid_at >= (:bounds::timestamptz[])[1] and paid_at < :until::timestamptz
) as paid
where came > began
group by began, came

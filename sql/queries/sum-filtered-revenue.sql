-- Sums of the filtered payments in `asked.currency`, by the bucket of the payment; buckets as in count-filtered-hits.sql.
-- Sums are numeric, sent as text, because they may exceed the integers that JavaScript represents exactly.
select
  width_bucket(at, (select bounds from asked)) - 1 as bucket,
  count(*) as recorded,
  count(*) filter (where refunded_minor < amount_minor) as payments,
  coalesce(sum(amount_minor - refunded_minor), 0)::text as revenue,
  coalesce(sum(amount_minor - refunded_minor) filter (where is_recurring), 0)::text as recurring,
  count(*) filter (where is_first_of_customer) as "newCustomers"
from filtered_payments
where currency = (select currency from asked)
group by 1

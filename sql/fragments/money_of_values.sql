-- A row for each value that has payments or a net movement of MRR.
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

-- Payments of the relation `paid`, added up by value.
select
  value, sum(net) as revenue, count(*) filter (where is_kept) as payments,
  count(distinct customer) filter (where is_kept) as customers,
  count(*) filter (where is_first_of_customer) as new_customers
from paid
group by value

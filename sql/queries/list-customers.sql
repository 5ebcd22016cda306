-- One page of the customers that the filters, the search and the status keep. `sorted_by` is a number for every order.
select
  customer, email, name, payments, revenue_minor::text as revenue, mrr_minor::text as mrr, subscriptions,
  first_paid_at as "firstPaidAt", last_paid_at as "lastPaidAt", subscribed_at as "subscribedAt", first_visit_at as "firstVisitAt",
  {first_visit_columns}
from (
  select
    *,
    case :sort::text
      when 'revenue' then revenue_minor
      when 'payments' then payments
      when 'mrr' then mrr_minor
      when 'first_payment' then extract(epoch from first_paid_at)
      when 'last_payment' then extract(epoch from last_paid_at)
      when 'first_visit' then extract(epoch from first_visit_at)
    end as sorted_by
  from ({wanted_customers}) as wanted
) as customers
order by
  case when :order::text = 'desc' then sorted_by end desc nulls last,
  case when :order::text = 'asc' then sorted_by end nulls last,
  customer
limit :limit::bigint
offset :offset::bigint

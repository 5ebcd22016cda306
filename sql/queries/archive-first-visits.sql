-- First visits of customers after the one at :key. Everything else of a customer is derived from payments and movements.
select
  array[customer, currency] as key,
  (
    to_jsonb(customers) - array[
      'site_no', 'recorded', 'payments', 'revenue_minor', 'first_paid_at', 'last_paid_at', 'last_kept_at', 'email', 'name',
      'mrr_minor', 'subscriptions', 'subscribed_at', 'first_visitor_no', 'first_session_no'
    ]
    || jsonb_build_object(
      'visitor_id', (select visitors.id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = customers.first_visitor_no)
    )
  )::text as line
from customers
where
  site_no = :siteNo::int and first_visit_at is not null
  and (customer, currency) > ((:key::text[])[1], (:key::text[])[2])
order by customer, currency
limit :limit::int

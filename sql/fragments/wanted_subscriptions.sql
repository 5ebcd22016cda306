-- Subscriptions of site :siteNo in :currency, with columns of their customer, that the filters on the first visit of the customer, the
-- search and the status keep.
select *
from (
  select subscriptions.*, customers.email, customers.name, customers.first_visit_at, {first_visit_of_customers}
  from subscriptions
  left join customers
    on customers.site_no = subscriptions.site_no
    and customers.currency = subscriptions.currency
    and customers.customer = coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || subscriptions.subscription_id)
  where subscriptions.site_no = :siteNo::int and subscriptions.currency = :currency::text
) as subscriptions
where {first_visit_passes}
  and (
    :search::text = ''
    or strpos(lower(concat_ws(' ',
      subscription_id, customer_id, case when :seesMail::boolean then email end, name
    )), :search::text) > 0
  )
  and :status::text in ('', status)

-- Invoices and checkouts of site $1 that belong to subscription $2 or customer $3; either may be null.
select distinct object_id as "objectId", sale_ids as "saleIds"
from processor_facts
where
  site_no = $1::int
  and kind in ('invoice', 'checkout')
  and (subscription_id = $2::text or customer_id = $3::text)

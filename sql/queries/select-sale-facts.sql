-- Everything said of site $1 under one of the ids $2 of a sale.
select
  event_id as "eventId",
  kind,
  at,
  object_id as "objectId",
  subscription_id as "subscriptionId",
  customer_id as "customerId",
  sale_ids as "saleIds",
  visitor_id as "visitorId",
  body
from processor_facts
where site_no = $1::int and sale_ids && $2::text[]

-- All facts of site $1 that have one of the sale ids $2.
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

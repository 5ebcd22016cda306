-- All facts of subscription $2 of site $1.
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
where site_no = $1::int and subscription_id = $2::text

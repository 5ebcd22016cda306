-- Discounts of customer $2 of site $1 that apply to all of their subscriptions.
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
where site_no = $1::int and customer_id = $2::text and kind = 'discount' and subscription_id is null

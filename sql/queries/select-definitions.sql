-- Stored facts of the coupons and prices $2 of site $1 to which payloads refer by id.
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
where site_no = $1::int and kind in ('coupon', 'price') and object_id = any($2::text[])
order by at, event_id

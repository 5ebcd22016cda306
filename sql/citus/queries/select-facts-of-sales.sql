select
  event_id as "eventId", kind, at, object_id as "objectId", subscription_id as "subscriptionId",
  customer_id as "customerId", sale_ids as "saleIds", visitor_id as "visitorId", body
from unnest(:ids::text[]) as id
cross join lateral (
  select * from processor_facts where site_no = :siteNo and sale_ids @> array[id] offset 0
) as fact

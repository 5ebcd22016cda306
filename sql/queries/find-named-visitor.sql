-- Visitor that was named first for a subscription, otherwise for its customer; and whether the event was the first to name one.
with
  of_subscription as (
    select visitor_id, event_id
    from processor_facts
    where site_no = :siteNo::int and subscription_id = :subscriptionId::text and visitor_id is not null
    order by at, event_id
    limit 1
  ),
  of_customer as (
    select visitor_id, event_id
    from processor_facts
    where site_no = :siteNo::int and customer_id = :customerId::text and visitor_id is not null
    order by at, event_id
    limit 1
  )
select
  coalesce((select visitor_id from of_subscription), (select visitor_id from of_customer)) as "visitorId",
  exists (select from of_subscription where event_id = :eventId::text) as "isFirstOfSubscription",
  exists (select from of_customer where event_id = :eventId::text) as "isFirstOfCustomer"

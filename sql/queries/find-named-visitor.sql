-- Visitor that was named first for subscription $2 of site $1, otherwise for customer $3; and whether event $4 was the first to
-- name one.
with
  of_subscription as (
    select visitor_id, event_id
    from processor_facts
    where site_no = $1::int and subscription_id = $2::text and visitor_id is not null
    order by at, event_id
    limit 1
  ),
  of_customer as (
    select visitor_id, event_id
    from processor_facts
    where site_no = $1::int and customer_id = $3::text and visitor_id is not null
    order by at, event_id
    limit 1
  )
select
  coalesce((select visitor_id from of_subscription), (select visitor_id from of_customer)) as "visitorId",
  exists (select from of_subscription where event_id = $4::text) as "isFirstOfSubscription",
  exists (select from of_customer where event_id = $4::text) as "isFirstOfCustomer"

-- Stores facts that were read, and returns those that are new or changed. Facts of an object that is read again are replaced.
insert into processor_facts as known (
  site_no, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, body
)
select
  :siteNo::int, given."eventId", given.kind, given.at, given."objectId", given."subscriptionId", given."customerId",
  given."saleIds", given."visitorId", coalesce(given.body, 'null'::jsonb)
from jsonb_to_recordset(:rows::text::jsonb) as given (
  "eventId" text, kind text, at timestamptz, "objectId" text, "subscriptionId" text, "customerId" text,
  "saleIds" text[], "visitorId" uuid, body jsonb
)
on conflict (site_no, event_id, kind, object_id) do update set
  at = excluded.at, subscription_id = excluded.subscription_id, customer_id = excluded.customer_id,
  sale_ids = excluded.sale_ids, visitor_id = excluded.visitor_id, body = excluded.body
where
  (known.at, known.subscription_id, known.customer_id, known.sale_ids, known.visitor_id, known.body)
  is distinct from (
    excluded.at, excluded.subscription_id, excluded.customer_id, excluded.sale_ids, excluded.visitor_id, excluded.body
  )
returning event_id as "eventId", kind, object_id as "objectId"

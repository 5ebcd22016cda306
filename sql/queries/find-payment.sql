-- Payment of site $1 that has one of the ids $2, as its own id or as an alias. A payment recorded under one of the ids itself
-- comes first; among several, the oldest.
with named as (
  select id from payments where site_no = $1::int and transaction_id = any($2::text[])
  union
  select payment_id from payment_aliases where site_no = $1::int and transaction_id = any($2::text[])
)
select
  id,
  transaction_id as "transactionId",
  amount_minor as "amountMinor",
  refunded_minor as "refundedMinor",
  currency,
  visitor_id as "visitorId",
  session_id as "sessionId",
  email,
  name,
  customer_id as "customerId",
  renewal,
  refunded_minor = amount_minor as refunded,
  is_free_trial as "isFreeTrial",
  recurring,
  paid_at as "paidAt",
  source,
  created_at as "createdAt",
  customer
from payments
where id in (select id from named)
order by transaction_id = any($2::text[]) desc, created_at, id
limit 1

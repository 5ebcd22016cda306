-- All payments of site $1 that have one of the ids $2, as their own id or as an alias, the oldest first.
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
  refunded as "wasSentRefunded",
  currency,
  visitor_id as "visitorId",
  email,
  name,
  customer_id as "customerId",
  renewal,
  recurring,
  paid_at as "paidAt",
  source,
  array(select transaction_id from payment_aliases where payment_id = payments.id) as aliases
from payments
where id in (select id from named)
order by created_at, id

-- $2 payments of site $1, the newest first, after the first $3.
select
  transaction_id as "transactionId",
  amount_minor as "amountMinor",
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
  created_at as "createdAt"
from payments
where site_no = $1::int
order by paid_at desc, id desc
limit $2::bigint
offset $3::bigint

insert into payments (
  site_no, transaction_id, amount_minor, refunded_minor, currency, visitor_id, session_id, email, name, customer_id,
  renewal, refunded, is_free_trial, recurring, paid_at, source, customer
)
values (
  $1, $2, $3::bigint, $4::bigint, $5, $6::uuid, $7::uuid, $8, $9, $10, $11, $12, $13, $14, $15::timestamptz, $16, $17
)
returning
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

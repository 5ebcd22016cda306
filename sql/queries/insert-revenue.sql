-- Inserts the ledger row of a payment.
insert into revenue (
  site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer, visitor_no,
  session_no, session_at
)
values (
  $1, $2::timestamptz, $3::uuid, $4, $5::bigint, $6::bigint, $7, $8, $9, $10::bigint, $11::timestamptz
)

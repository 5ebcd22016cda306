insert into mrr_movements (
  site_no, at, id, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at
)
values (
  $1::int, $2::timestamptz, $3::uuid, $4, $5, $6, $7::bigint, $8::int, $9::bigint, $10::timestamptz
)

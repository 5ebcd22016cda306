-- Attributes the ledger row of payment $3, at time $2, of site $1 to visitor $4 and session $5, which started at $6.
update revenue
set visitor_no = $4::int, session_no = $5::bigint, session_at = $6::timestamptz
where site_no = $1::int and at = $2::timestamptz and payment_id = $3::uuid

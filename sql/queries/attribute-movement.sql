-- Attributes movement $3, at time $2, of site $1 to visitor $4 and session $5, which started at $6. Call it only after the
-- movement was removed from awaiting_visitors or was not found there: when two transactions change one row of a hypertable at the
-- same time, TimescaleDB (2.28) loses the second change without an error.
update mrr_movements
set visitor_no = $4::int, session_no = $5::bigint, session_at = $6::timestamptz
where site_no = $1::int and at = $2::timestamptz and id = $3::uuid

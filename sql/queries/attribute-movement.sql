-- Gives movement $3, at $2, of site $1 to visitor $4 and session $5, which started at $6. To be
-- called by whoever took the movement out of awaiting_visitors, or found that it is not there: of two changes of one row of a
-- hypertable at the same time TimescaleDB (2.28) loses the second and says nothing.
update mrr_movements
set visitor_no = $4::int, session_no = $5::bigint, session_at = $6::timestamptz
where site_no = $1::int and at = $2::timestamptz and id = $3::uuid

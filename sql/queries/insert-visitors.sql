-- Inserts new visitors; one array for each column, in this order.
insert into visitors (
  visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
  pending_identifier, pending_since, pending_splits
)
select
  visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
  pending_identifier, pending_since, pending_splits::boolean
from unnest(
  $1::int[], $2::int[], $3::uuid[], $4::timestamptz[], $5::int[], $6::timestamptz[],
  $7::text[], $8::timestamptz[], $9::int[]
) as added (
  visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
  pending_identifier, pending_since, pending_splits
)

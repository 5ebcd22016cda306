-- Updates stored visitors ($1 visitor_no) with the changes that hits made.
update visitors
set
  first_seen_at = changed.first_seen_at,
  session_count = changed.session_count,
  newest_session_at = changed.newest_session_at,
  pending_identifier = changed.pending_identifier,
  pending_since = changed.pending_since,
  pending_splits = changed.pending_splits::boolean
from unnest(
  $1::int[], $2::timestamptz[], $3::int[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::int[]
) as changed (
  visitor_no, first_seen_at, session_count, newest_session_at, pending_identifier, pending_since, pending_splits
)
where visitors.visitor_no = changed.visitor_no

-- Makes visitors what the archive says of them, but for those who came while it was written: their hits are not all in it.
update visitors
set
  first_seen_at = given.first_seen_at,
  session_count = given.session_count,
  newest_session_at = given.newest_session_at,
  pending_identifier = given.pending_identifier,
  pending_since = given.pending_since,
  pending_splits = given.pending_splits
from jsonb_populate_recordset(null::visitors, :rows::text::jsonb) as given
where
  visitors.site_no = :siteNo::int and visitors.id = given.id
  and (given.newest_session_at is null or given.newest_session_at < :exportedAt::text::timestamptz)
  and (
    visitors.first_seen_at, visitors.session_count, visitors.newest_session_at, visitors.pending_identifier,
    visitors.pending_since, visitors.pending_splits
  ) is distinct from (
    given.first_seen_at, given.session_count, given.newest_session_at, given.pending_identifier, given.pending_since,
    given.pending_splits
  )

-- As the common one, in the shards of the sites.
update visitors
set
  first_seen_at = changed.first_seen_at,
  session_count = changed.session_count,
  newest_session_at = changed.newest_session_at,
  pending_identifier = changed.pending_identifier,
  pending_since = changed.pending_since,
  pending_splits = changed.pending_splits::boolean
from unnest(
  :siteNos::int[], :visitorNos::int[], :firstSeenTimes::timestamptz[], :sessionCounts::int[],
  :newestSessionTimes::timestamptz[], :pendingIdentifiers::text[], :pendingTimes::timestamptz[], :pendingSplits::int[]
) as changed (
  site_no, visitor_no, first_seen_at, session_count, newest_session_at, pending_identifier, pending_since, pending_splits
)
where visitors.site_no = any(:siteNos::int[])
  and visitors.site_no = changed.site_no and visitors.visitor_no = changed.visitor_no

-- Stored visitors among the given ones ($1 site_no, $2 id).
select
  visitors.visitor_no as "visitorNo",
  visitors.site_no as "siteNo",
  visitors.id,
  visitors.first_seen_at as "firstSeenAt",
  visitors.session_count as "sessionCount",
  visitors.newest_session_at as "newestSessionAt",
  visitors.pending_identifier as "pendingIdentifier",
  visitors.pending_since as "pendingSince",
  visitors.pending_splits as "pendingSplits"
from unnest($1::int[], $2::uuid[]) as wanted (site_no, id)
join visitors on visitors.site_no = wanted.site_no and visitors.id = wanted.id

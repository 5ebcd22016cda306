-- As the common one, in the shards of the sites.
select
  visitors.visitor_no as "visitorNo",
  visitors.site_no as "siteNo",
  visitors.id,
  visitors.imported_as as "importedAs",
  visitors.first_seen_at as "firstSeenAt",
  visitors.session_count as "sessionCount",
  visitors.newest_session_at as "newestSessionAt",
  visitors.pending_identifier as "pendingIdentifier",
  visitors.pending_since as "pendingSince",
  visitors.pending_splits as "pendingSplits"
from unnest(:siteNos::int[], :ids::uuid[]) as wanted (site_no, id)
join visitors on visitors.site_no = wanted.site_no and visitors.id = wanted.id
where visitors.site_no = any(:siteNos::int[])

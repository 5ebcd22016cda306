-- Hits of a site by time and id, all within [start, end]; hits that are gone by now are left out. Each hit is looked up by its
-- unique index: a join could be planned as a scan of its chunk.
select
  hit.at, hit.id, hit.type, hit.name, hit.path, hit.hostname, hit.props, hit.scroll, hit.is_service as "isService", hit.page_at as "pageAt",
  hit.session_no as "sessionNo", visitors.id as "visitorId", hit.source, hit.channel, hit.country,
  hit.revenue_minor as "revenueMinor", hit.revenue_currency as "revenueCurrency"
from unnest(:times::timestamptz[], :ids::uuid[]) as wanted (at, id)
cross join lateral (
  select *
  from events
  where
    site_no = :siteNo::int
    and events.at = wanted.at
    and events.id = wanted.id
    and events.at >= :start::timestamptz
    and events.at <= :end::timestamptz
  limit 1
) as hit
left join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = hit.visitor_no

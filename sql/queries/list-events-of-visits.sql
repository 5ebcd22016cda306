-- The newest events of sessions :sessionNos, each from :firsts to :lasts, with the number of all; no pageviews, and none that the service
-- wrote.
select
  at, id::text as id, session_no as "sessionNo", type, name, path, title, props, count(*) over () as total
from unnest(:sessionNos::bigint[], :firsts::timestamptz[], :lasts::timestamptz[]) as visit (visit_no, first_at, last_at)
cross join lateral (
  select *
  from events
  where events.site_no = :siteNo::int and events.session_no = visit.visit_no
    and events.at >= visit.first_at and events.at <= visit.last_at
    and events.type not in ('pageview', 'engagement', 'identify') and not events.is_service
  -- Keeps the planner from joining all hits with the visits.
  offset 0
) as hit
order by at desc, id desc
limit :limit::int

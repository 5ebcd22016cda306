-- The same as find-attribution for many visitors and times; `no` is the place in the two lists, from 1. Each is looked up by index,
-- whatever the planner expects of the lists.
select
  given.no::int as no,
  visitor.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt",
  visitor.session_count > 0 as "hasSessions"
from unnest(:visitorIds::uuid[], :ats::timestamptz[]) with ordinality as given (visitor_id, at, no)
cross join lateral (
  select * from visitors where visitors.site_no = :siteNo::int and visitors.id = given.visitor_id limit 1
) as visitor
left join lateral (
  select session_no, started_at
  from sessions
  where site_no = :siteNo::int
    and visitor_no = visitor.visitor_no
    and started_at >= visitor.first_seen_at
    and started_at <= least(visitor.newest_session_at, given.at + interval '24 hours')
    and first_at <= given.at
  order by started_at desc
  limit 1
) as session on true

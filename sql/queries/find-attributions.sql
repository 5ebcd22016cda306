-- The same as find-attribution for many visitors and times, :rows of (no, visitorId, at). Each is looked up by index, whatever the planner
-- expects of their number. That is the same for any text, so the plan is kept: with arrays, each payment had the statement planned anew for
-- all chunks of sessions, which took 8 ms of 9.
select
  given.no,
  visitor.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt",
  visitor.session_count > 0 as "hasSessions"
from jsonb_to_recordset(:rows::text::jsonb) as given (no int, "visitorId" uuid, at timestamptz)
cross join lateral (
  select * from visitors where visitors.site_no = :siteNo::int and visitors.id = given."visitorId" limit 1
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

-- A visitor, and the session for a time: the session that contains it, otherwise the latest one before it.
-- Sessions of a visitor never overlap, so that in both cases it is the last session that begins at or before that time.
select
  visitors.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt",
  visitors.session_count > 0 as "hasSessions"
from visitors
left join lateral (
  select session_no, started_at
  from sessions
  where site_no = :siteNo::int
    and visitor_no = visitors.visitor_no
    and started_at >= visitors.first_seen_at
    and started_at <= least(visitors.newest_session_at, :at::timestamptz + interval '24 hours')
    and first_at <= :at::timestamptz
  order by started_at desc
  limit 1
) as session on true
where visitors.site_no = :siteNo::int and visitors.id = :visitorId::uuid

-- Visitor $2 of site $1, and the session that a moment ($3) belongs to: the one it lies in, else the latest before it.
-- Extents of a visitor's sessions never overlap, so that both are the last one to begin.
select
  visitors.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt",
  visitors.session_count > 0 as "hasSessions"
from visitors
left join lateral (
  select session_no, started_at
  from sessions
  where site_no = $1::int
    and visitor_no = visitors.visitor_no
    and started_at >= visitors.first_seen_at
    and started_at <= least(visitors.newest_session_at, $3::timestamptz + interval '24 hours')
    and first_at <= $3::timestamptz
  order by started_at desc
  limit 1
) as session on true
where visitors.site_no = $1::int and visitors.id = $2::uuid

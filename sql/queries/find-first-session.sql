-- First session of visitor $2 of site $1.
select
  visitors.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt"
from visitors
cross join lateral (
  select session_no, started_at
  from sessions
  where site_no = $1::int and visitor_no = visitors.visitor_no and started_at >= visitors.first_seen_at
  order by started_at
  limit 1
) as session
where visitors.site_no = $1::int and visitors.id = $2::uuid

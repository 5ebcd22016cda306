-- Takes what waits for the visitors ($1 site_no, $2 id) who have sessions now, with the session each row belongs to: the
-- last that began at or before its time, else the first there is. One look at an empty table when nothing waits.
with taken as (
  delete from awaiting_visitors
  using unnest($1::int[], $2::uuid[]) as appeared (site_no, id)
  where exists (select from awaiting_visitors limit 1)
    and awaiting_visitors.site_no = appeared.site_no
    and awaiting_visitors.visitor_id = appeared.id
  returning awaiting_visitors.site_no, awaiting_visitors.visitor_id, target, at, awaiting_visitors.id
)
select
  taken.site_no as "siteNo",
  taken.target,
  taken.at,
  taken.id,
  visitors.visitor_no as "visitorNo",
  session.session_no as "sessionNo",
  session.started_at as "sessionAt"
from taken
join visitors on visitors.site_no = taken.site_no and visitors.id = taken.visitor_id
cross join lateral (
  select session_no, started_at
  from sessions
  where sessions.site_no = taken.site_no
    and sessions.visitor_no = visitors.visitor_no
    and sessions.started_at >= visitors.first_seen_at
  order by
    first_at <= taken.at desc,
    case when first_at <= taken.at then started_at end desc,
    started_at
  limit 1
) as session
order by taken.site_no, taken.at, taken.id

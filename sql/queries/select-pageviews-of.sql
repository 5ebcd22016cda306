-- For each triple ($1 visitor_no, $2 path, $3 time), the newest pageview of that path at or before that time and not before $4:
-- the pageview that engagement may belong to. $5: the latest of the times. The index has the hash of the path, not the path.
select
  page.visitor_no as "visitorNo",
  page.session_at as "sessionAt",
  page.path,
  page.id,
  page.at,
  page.title
from unnest($1::int[], $2::text[], $3::timestamptz[]) as wanted (visitor_no, path, at)
cross join lateral (
  select visitor_no, session_at, path, id, at, title
  from events
  where visitor_no = wanted.visitor_no
    and hashtext(path) = hashtext(wanted.path)
    and path = wanted.path
    and type = 'pageview'
    and at <= wanted.at
    and at >= $4::timestamptz
    and at <= $5::timestamptz
  order by at desc, id desc
  limit 1
) as page

-- For each visitor, path and time, the newest pageview of that path at or before that time and not before :from: the pageview that
-- engagement may belong to. :to is the latest of the times. The index has the hash of the path, not the path.
select
  page.visitor_no as "visitorNo",
  page.session_at as "sessionAt",
  page.path,
  page.id,
  page.at,
  page.title
from unnest(:visitorNos::int[], :paths::text[], :times::timestamptz[]) as wanted (visitor_no, path, at)
cross join lateral (
  select visitor_no, session_at, path, id, at, title
  from events
  where visitor_no = wanted.visitor_no
    and hashtext(path) = hashtext(wanted.path)
    and path = wanted.path
    and type = 'pageview'
    and at <= wanted.at
    and at >= :from::timestamptz
    and at <= :to::timestamptz
  order by at desc, id desc
  limit 1
) as page

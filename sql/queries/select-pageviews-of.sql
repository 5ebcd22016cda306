-- Pageviews in [$3, $4] of the pairs ($1 visitor_no, $2 path): what engagement may belong to.
select
  events.visitor_no as "visitorNo",
  events.session_at as "sessionAt",
  events.path,
  events.id,
  events.at,
  events.title
from unnest($1::int[], $2::text[]) as wanted (visitor_no, path)
join events on events.visitor_no = wanted.visitor_no and events.path = wanted.path
where events.type = 'pageview' and events.at >= $3::timestamptz and events.at <= $4::timestamptz

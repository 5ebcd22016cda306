-- Sessions of the visitors $1 (visitor_no) that started in [$2, $3], in the order of their first hits.
select
  visitor_no as "visitorNo",
  session_no as "sessionNo",
  started_at as "startedAt",
  first_at as "firstAt",
  last_at as "lastAt",
  pageviews,
  events,
  user_id as "userId",
  user_since as "userSince",
  visit_count as "visitCount"
from sessions
where visitor_no = any($1::int[]) and started_at >= $2::timestamptz and started_at <= $3::timestamptz
order by visitor_no, first_at, started_at, session_no

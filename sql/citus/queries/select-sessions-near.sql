-- As the common one, in the shards of the sites.
select
  visitor_no as "visitorNo",
  session_no as "sessionNo",
  started_at as "startedAt",
  first_at as "firstAt",
  last_at as "lastAt",
  pageviews,
  events,
  duration_ms::float8 as "durationMs",
  user_id as "userId",
  user_since as "userSince",
  visit_count as "visitCount",
  exit_path as "exitPath",
  exit_at as "exitAt"
from sessions
where site_no = any(:siteNos::int[])
  and visitor_no = any(:visitorNos::int[]) and started_at >= :from::timestamptz and started_at <= :to::timestamptz
order by visitor_no, first_at, started_at, session_no

-- Sessions of a site that started in [:start, :end], of those with the numbers.
select
  session_no as "sessionNo",
  started_at as "startedAt",
  first_at as "firstAt",
  last_at as "lastAt",
  pageviews,
  events,
  visit_count as "visitCount",
  user_id as "userId",
  user_since as "userSince",
  exit_path as "exitPath",
  (select visitors.id::text from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = sessions.visitor_no) as "visitorId",
  (select first_seen_at from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = sessions.visitor_no) as "firstSeenAt",
  {session_attribute_fields}
from sessions
where site_no = :siteNo::int
  and started_at >= :start::timestamptz and started_at <= :end::timestamptz
  and session_no = any(:sessionNos::bigint[])

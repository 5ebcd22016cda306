-- Sessions :sessionNos of visitors :visitorNos that started from :first to :last, the newest first, with what a timeline shows of them.
select
  session_no as "sessionNo",
  started_at as "startedAt",
  first_at as "firstAt",
  last_at as "lastAt",
  duration_ms as "durationMs",
  pageviews,
  events,
  (select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = sessions.visitor_no) as "visitorId",
  user_id as "userId",
  user_since as "userSince",
  entry_path as "entryPath",
  source
from sessions
where site_no = :siteNo::int and started_at >= :first::timestamptz and started_at <= :last::timestamptz
  and visitor_no = any(:visitorNos::int[]) and session_no in (select unnest(:sessionNos::bigint[]))
order by started_at desc, session_no desc

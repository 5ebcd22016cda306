-- Filtered sessions of a person, the newest first, with what a timeline shows of them.
select
  session_no as "sessionNo",
  started_at as "startedAt",
  first_at as "firstAt",
  last_at as "lastAt",
  duration_ms as "durationMs",
  pageviews,
  (select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = filtered_sessions.visitor_no) as "visitorId",
  user_id as "userId",
  user_since as "userSince",
  entry_path as "entryPath",
  source
from filtered_sessions
order by started_at desc, session_no desc

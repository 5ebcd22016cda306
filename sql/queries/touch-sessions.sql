-- Updates stored sessions with the changes that hits made; one array for each column.
-- Written as an insert that always conflicts: it uses the unique index for each row. The plan of an update with a join depends on
-- estimates, and compared each row with all sessions of the time. Columns that never change have their default or 0: the update
-- does not read them.
insert into sessions (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  visitor_no, visit_count, duration_ms
)
select
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since,
  0, 0,
  (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  :siteNo::int[], :startedAt::timestamptz[], :sessionNo::bigint[], :firstAt::timestamptz[], :lastAt::timestamptz[],
  :pageviews::int[], :events::int[], :userId::text[], :userSince::timestamptz[]
) as touched (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since
)
on conflict (site_no, started_at, session_no) do update
set
  first_at = excluded.first_at,
  last_at = excluded.last_at,
  duration_ms = excluded.duration_ms,
  pageviews = excluded.pageviews,
  events = excluded.events,
  user_id = excluded.user_id,
  user_since = excluded.user_since

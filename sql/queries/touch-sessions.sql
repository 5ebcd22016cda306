-- Updates stored sessions with the changes that hits made; one array for each column.
-- Written as an insert that always conflicts: it uses the unique index for each row. The plan of an update with a join depends on
-- estimates, and compared each row with all sessions of the time. Columns that never change have their default or 0: the update
-- does not read them.
insert into sessions (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
  visitor_no, visit_count, duration_ms
)
select
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
  0, 0,
  (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  :siteNo::int[], :startedAt::timestamptz[], :sessionNo::bigint[], :firstAt::timestamptz[], :lastAt::timestamptz[],
  :pageviews::int[], :events::int[], :exitPath::text[], :exitAt::timestamptz[], :userId::text[], :userSince::timestamptz[]
) as touched (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since
)
on conflict (site_no, started_at, session_no) do update
set
  first_at = excluded.first_at,
  last_at = excluded.last_at,
  duration_ms = excluded.duration_ms,
  pageviews = excluded.pageviews,
  events = excluded.events,
  -- A session whose exit page was unknown when it was read may have been filled in meanwhile.
  exit_path = case when excluded.exit_at is null then sessions.exit_path else excluded.exit_path end,
  exit_at = coalesce(excluded.exit_at, sessions.exit_at),
  user_id = excluded.user_id,
  user_since = excluded.user_since

-- Updates stored sessions with the changes that hits made; one array for each column. Leaves out sessions that do not hold what was read
-- (:readPageviews, :readEvents, :readDuration): pageviews, events and the time from first to last hit only grow, so they tell every change.
-- Written as an insert that always conflicts: it uses the unique index for each row. The plan of an update with a join depends on
-- estimates, and compared each row with all sessions of the time. Columns that never change have their default; visitor_no, visit_count and
-- duration_ms carry what was read.
with written as (
  insert into sessions (
    site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
    visitor_no, visit_count, duration_ms
  )
  select
    site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
    read_events, read_pageviews, read_duration
  from unnest(
    :siteNo::int[], :startedAt::timestamptz[], :sessionNo::bigint[], :firstAt::timestamptz[], :lastAt::timestamptz[],
    :pageviews::int[], :events::int[], :exitPath::text[], :exitAt::timestamptz[], :userId::text[], :userSince::timestamptz[],
    :readPageviews::int[], :readEvents::int[], :readDuration::bigint[]
  ) as touched (
    site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
    read_pageviews, read_events, read_duration
  )
  on conflict (site_no, started_at, session_no) do update
  set
    first_at = excluded.first_at,
    last_at = excluded.last_at,
    duration_ms = (extract(epoch from excluded.last_at - excluded.first_at) * 1000)::bigint,
    pageviews = excluded.pageviews,
    events = excluded.events,
    -- A session whose exit page was unknown when it was read may have been filled in meanwhile.
    exit_path = case when excluded.exit_at is null then sessions.exit_path else excluded.exit_path end,
    exit_at = coalesce(excluded.exit_at, sessions.exit_at),
    user_id = excluded.user_id,
    user_since = excluded.user_since
  where sessions.pageviews = excluded.visit_count
    and sessions.events = excluded.visitor_no
    and sessions.duration_ms = excluded.duration_ms
  returning 1
)
select count(*)::int as written from written

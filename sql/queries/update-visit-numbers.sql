-- Sets the visit numbers of stored sessions.
-- Written as an insert that always conflicts, like touch-sessions.sql: with wrong estimates an update with a join compared each
-- row with all sessions of the time, and it decompressed every row of a compressed chunk that its constants did not exclude.
-- Returns a row for each changed session.
insert into sessions (
  site_no, started_at, session_no, visit_count, first_at, last_at, pageviews, events, user_id, visitor_no, duration_ms
)
select
  site_no, started_at, session_no, visit_count, started_at, started_at, 0, 0, '', 0, 0
from unnest(:siteNos::int[], :starts::timestamptz[], :sessionNos::bigint[], :visitCounts::int[])
  as changed (site_no, started_at, session_no, visit_count)
on conflict (site_no, started_at, session_no) do update set visit_count = excluded.visit_count
returning session_no as "sessionNo"

-- Sets the visit numbers $4 of stored sessions ($1 site_no, $2 started_at, $3 session_no).
-- Written as an insert that always conflicts, like touch-sessions.sql: with wrong estimates an update with a join compared each
-- row with all sessions of the time, and it decompressed every row of a compressed chunk that its constants did not exclude.
-- Returns a row for each changed session.
insert into sessions (
  site_no, started_at, session_no, visit_count, first_at, last_at, pageviews, events, user_id, visitor_no, hostname,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content, utm_term, browser, os, size,
  country, region, city, browser_version, os_version, language, duration_ms
)
select
  site_no, started_at, session_no, visit_count, started_at, started_at, 0, 0, '', 0, '',
  '', '', '', '', '', '', '', '', '', '', '', '',
  '', '', '', '', '', '', 0
from unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::int[])
  as changed (site_no, started_at, session_no, visit_count)
on conflict (site_no, started_at, session_no) do update set visit_count = excluded.visit_count
returning session_no as "sessionNo"

-- $5 and $6 bound the starts, $7 are the sites, each once: an update of a compressed chunk unpacks all that its constants do not exclude.
-- A row for each session that has its number now. One that another transaction had changed and not yet ended is not among
-- them: TimescaleDB (2.28) waits for it, and then leaves the row as it is.
update sessions
set visit_count = changed.visit_count
from unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::int[])
  as changed (site_no, started_at, session_no, visit_count)
where sessions.site_no = changed.site_no
  and sessions.started_at = changed.started_at
  and sessions.session_no = changed.session_no
  and sessions.site_no = any($7::int[])
  and sessions.started_at >= $5::timestamptz
  and sessions.started_at <= $6::timestamptz
returning sessions.session_no as "sessionNo"

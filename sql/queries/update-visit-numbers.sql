-- $5 to $7 (sites, first and last start) are what an update can tell compressed rows by: it unpacks all others.
update sessions
set visit_count = changed.visit_count
from unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::int[])
  as changed (site_no, started_at, session_no, visit_count)
where sessions.site_no = changed.site_no
  and sessions.started_at = changed.started_at
  and sessions.session_no = changed.session_no
  and sessions.site_no = any($5::int[])
  and sessions.started_at >= $6::timestamptz
  and sessions.started_at <= $7::timestamptz

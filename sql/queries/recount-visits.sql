-- Numbers all sessions of the visitors $1 (visitor_no) by start, from 1: needed only when one came late.
-- Returns those whose number changed.
with numbered as (
  select
    site_no,
    started_at,
    session_no,
    (row_number() over (partition by visitor_no order by started_at, session_no))::int as visit_count
  from sessions
  where visitor_no = any($1::int[])
)
update sessions
set visit_count = numbered.visit_count
from numbered
where sessions.site_no = numbered.site_no
  and sessions.started_at = numbered.started_at
  and sessions.session_no = numbered.session_no
  and sessions.visit_count <> numbered.visit_count
returning sessions.site_no as "siteNo", sessions.started_at as at

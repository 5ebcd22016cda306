-- Numbers the sessions of the visitors $1 (visitor_no, of the sites $2) by start, from 1: needed only when one came late.
-- $3 is the start of the earliest that came late: only from there on numbers change, and only chunks from there on are
-- written. $4 is a time before which none of the visitors was seen.
-- Returns those whose number changed.
with numbered as (
  select
    site_no,
    started_at,
    session_no,
    (row_number() over (partition by visitor_no order by started_at, session_no))::int as visit_count
  from sessions
  where visitor_no = any($1::int[]) and site_no = any($2::int[]) and started_at >= $4::timestamptz
)
update sessions
set visit_count = numbered.visit_count
from numbered
where sessions.site_no = numbered.site_no
  and sessions.started_at = numbered.started_at
  and sessions.session_no = numbered.session_no
  and sessions.visit_count <> numbered.visit_count
  and sessions.site_no = any($2::int[])
  and sessions.started_at >= $3::timestamptz
returning sessions.site_no as "siteNo", sessions.started_at as at

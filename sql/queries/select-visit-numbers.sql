-- Sessions of the visitors $1 (visitor_no, of the sites $2) whose visit number is wrong: numbers follow the start times, from 1.
-- $3: lower bound of the start times of all these sessions.
with numbered as (
  select
    site_no,
    started_at,
    session_no,
    visit_count,
    (row_number() over (partition by visitor_no order by started_at, session_no))::int as place
  from sessions
  where visitor_no = any($1::int[]) and site_no = any($2::int[]) and started_at >= $3::timestamptz
)
select site_no as "siteNo", started_at as at, session_no as "sessionNo", place as "visitCount"
from numbered
where place <> visit_count

-- Sets how many sessions visitors have, and returns whether the visit numbers ascend with the start of the sessions. Where they do not, they
-- are numbered from 1, unless retention has dropped the first ones.
with numbered as (
  select
    visitor_no,
    visit_count > lag(visit_count, 1, 0) over (partition by visitor_no order by started_at, session_no) as ascends
  from sessions
  where visitor_no = any(:visitorNos::int[])
),
counted as (
  select visitor_no, count(*)::int as sessions, bool_and(ascends) as ascends
  from numbered
  group by visitor_no
)
update visitors
set session_count = case
  when counted.ascends or sites.details_from is not null then greatest(session_count, counted.sessions)
  else counted.sessions
end
from counted, sites
where visitors.visitor_no = counted.visitor_no and sites.site_no = visitors.site_no
returning visitors.visitor_no as "visitorNo", counted.ascends as "isAscending"

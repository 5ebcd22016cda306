-- Sessions that saw each title.
select title, count(*) as sessions
from (
  select title, session_no
  from seen_hits
  group by 1, 2
) as seen
group by 1

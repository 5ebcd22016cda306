-- Engaged time on each title in the sessions that saw it, and number of sessions with engagement.
select title, sum(engaged_ms)::float8 as "engagedMs", count(*) as sessions
from (
  select title, session_no
  from session_hits
  group by 1, 2
) as seen
join (
  select title, session_no, sum(engaged_ms) as engaged_ms
  from engagements
  group by 1, 2
) as engaged using (title, session_no)
group by title

-- How long the sessions that saw each title engaged with it, and how many of them did.
select title, sum(engaged_ms)::float8 as "engagedMs", count(*) as sessions
from (
  select title, session_no
  from seen_hits
  group by 1, 2
) as seen
join (
  select title, session_no, sum(engaged_ms) as engaged_ms
  from engagements
  group by 1, 2
) as engaged using (title, session_no)
group by title

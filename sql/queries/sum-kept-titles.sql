-- Sessions that saw each title; see rank-kept-titles.sql.
select title, (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
from (
  select title, array_agg(session_no) as seen_by
  from seen_hits
  group by title
) as seen

-- Number of sessions for each of the titles with the most sessions; distinct sessions as in rank-filtered-titles.sql.
select title, (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
from (
  select title, array_agg(session_no) as seen_by
  from session_hits
  where title <> ''
  group by title
) as seen
order by sessions desc
limit (select "limit" from asked)

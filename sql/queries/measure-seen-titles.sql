-- As measure-kept-titles.sql, where nothing is asked of hits by themselves: what was seen and how long in one go.
select title, sum(engaged_ms)::bigint as "engagedMs", count(*) as sessions
from (
  select
    title,
    session_no,
    count(*) filter (where type <> 'engagement') as hits,
    count(*) filter (where type = 'engagement') as engagements,
    sum(engaged_ms) as engaged_ms
  from session_rows
  group by 1, 2
) as seen
where hits > 0 and engagements > 0
group by title

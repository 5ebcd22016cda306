-- A page of the visitors with a filtered hit: by the start of their newest session that started in the range, then those without one
-- by that of their newest session. Every row has the number of all.
select
  visitor_no as "visitorNo",
  coalesce(started_at, session_at) as "startedAt",
  count(*) over () as total
from (
  select
    visitor_no,
    max(session_at) as session_at,
    max(session_at) filter (where session_at >= bounds[1] and session_at < bounds[2]) as started_at
  from filtered_hits, params
  where visitor_no is not null and session_at is not null and not is_service
  group by visitor_no
) as visitor
order by started_at desc nulls last, session_at desc, visitor_no desc
limit (select "limit" from params)
offset (select "offset" from params)

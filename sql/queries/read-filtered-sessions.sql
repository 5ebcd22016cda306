-- A page of the filtered sessions, the newest first, with visitor, user and revenue in `currency`.
select
  {listed_session}
from (
  select *
  from filtered_sessions
  order by started_at desc, session_no desc
  limit (select "limit" from params)
  offset (select "offset" from params)
) as session
{details_of_session}
order by session.started_at desc, session.session_no desc

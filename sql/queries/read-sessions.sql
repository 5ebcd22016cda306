-- Sessions of site :siteNo by their starts and numbers, the newest first, with visitor, user and revenue in :currency. Their starts lie in
-- the stretches from each of :froms to each of :tos, all between :first and :last.
with params as (select :currency::text as currency)
select
  {listed_session}
from (
  select found.*
  from unnest(:froms::timestamptz[], :tos::timestamptz[]) as stretch (starts_at, ends_at)
  cross join lateral (
    select *
    from sessions
    where site_no = :siteNo::int and started_at >= stretch.starts_at and started_at <= stretch.ends_at
      and started_at >= :first::timestamptz and started_at <= :last::timestamptz
    offset 0
  ) as found
  join unnest(:starts::timestamptz[], :sessionNos::bigint[]) as wanted (started_at, session_no)
    on wanted.started_at = found.started_at and wanted.session_no = found.session_no
) as session
{details_of_session}
order by session.started_at desc, session.session_no desc

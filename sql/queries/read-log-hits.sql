-- Hits of site :siteNo with their visitors, the newest first; without the :skipped newest, at most :limit. Each is named by its time, its
-- session, whether the service wrote it, and which it is of the hits of this session at this moment, from 0 in the order of their ids. Their
-- times lie in the stretches from each of :froms to each of :tos, all between :first and :last.
select
  {logged_hit}
from (
  select numbered.*
  from (
    select *, row_number() over (partition by at, of_service, of_session order by id) - 1 as nth
    from (
      select near.*, near.is_service::int as of_service, coalesce(near.session_no, -near.visitor_no, 0) as of_session
      from unnest(:froms::timestamptz[], :tos::timestamptz[]) as stretch (starts_at, ends_at)
      cross join lateral (
        select *
        from events
        where site_no = :siteNo::int and at >= stretch.starts_at and at <= stretch.ends_at
          and at >= :first::timestamptz and at <= :last::timestamptz
          and type not in ('engagement', 'identify')
        offset 0
      ) as near
    ) as keyed
    -- Few hits of a stretch are of the page: only these are numbered.
    where (at, of_session) in (select unnest(:times::timestamptz[]), unnest(:sessionNos::bigint[]))
  ) as numbered
  join unnest(:times::timestamptz[], :sessionNos::bigint[], :ofService::int[], :nths::int[])
    as wanted (at, of_session, of_service, nth)
    using (at, of_session, of_service, nth)
  order by at desc, id desc
  limit :limit::bigint
  offset :skipped::bigint
) as hit
{actor_of_hit}
order by hit.at desc, hit.id desc

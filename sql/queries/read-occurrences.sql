-- Occurrences of an error at some times, with their visitors, the newest first; without the :skipped newest.
select
  {logged_hit}
from (
  select found.*
  from unnest(:times::timestamptz[]) as occurrence (at)
  -- One lookup by time for each: a join would read all hits between the first and the last.
  cross join lateral (
    select *
    from events
    where site_no = :siteNo::int and at = occurrence.at and at >= :first::timestamptz and at <= :last::timestamptz
      and type = 'error' and error_id = :errorId::uuid
    offset 0
  ) as found
  order by found.at desc, found.id desc
  limit :limit::bigint
  offset :skipped::bigint
) as hit
{actor_of_hit}
order by hit.at desc, hit.id desc

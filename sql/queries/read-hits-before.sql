-- Hits of :types of site :siteNo since :from with their visitors, the newest first: at most :limit of those before the hit :id at :at, without
-- the :skipped newest.
select
  {logged_hit}
from (
  select *
  from events
  where site_no = :siteNo::int and at >= :from::timestamptz and at <= :at::timestamptz
    and (at, id) < (:at::timestamptz, :id::uuid)
    and type = any(:types::text[])
  order by at desc, id desc
  limit :limit::bigint
  offset :skipped::bigint
) as hit
{actor_of_hit}
order by hit.at desc, hit.id desc

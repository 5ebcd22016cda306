-- Hits of :types of site :siteNo since :start with their visitors, the newest first: those that come after the hit :afterId at :afterAt.
select
  {logged_hit}
from (
  select *
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at <= :afterAt::timestamptz
    and (at, id) < (:afterAt::timestamptz, :afterId::uuid)
    and type = any(:types::text[])
  order by at desc, id desc
  limit :limit::bigint
  offset :offset::bigint
) as hit
{actor_of_hit}
order by hit.at desc, hit.id desc

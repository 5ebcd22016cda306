-- A page of the hits of :types of one session, the oldest first, with their number; with :isFiltered, only those that are named by their
-- time, and by which they are of the hits of this moment, from 0 in the order of their ids. is_last: whether no other pageview of the same
-- path and moment has a higher id, so that the engagement there belongs to it.
select
  hit.id::text as id,
  hit.at,
  hit.type,
  hit.name,
  hit.path,
  case when hit.url = '' then hit.path || hit.query else hit.url end as url,
  hit.title,
  hit.hostname,
  hit.props,
  hit.error_id as "errorId",
  hit.is_last as "isLast",
  hit.total
from (
  select
    *,
    count(*) over () as total,
    type = 'pageview' and lead(id) over (partition by type, path, at order by id) is null as is_last
  from (
    select *, row_number() over (partition by at order by id) - 1 as nth
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and session_no = :sessionNo::bigint
      and type not in ('engagement', 'identify') and not is_service
  ) as numbered
  where type = any(:types::text[])
    and (not :isFiltered::boolean or (at, nth) in (select unnest(:times::timestamptz[]), unnest(:nths::bigint[])))
  order by at, id
  limit :limit::bigint
  offset :offset::bigint
) as hit
order by hit.at, hit.id

-- A page of the filtered hits of one session, the oldest first, with their number. is_last: whether no other pageview of the same
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
  from filtered_hits
  where type = any((select types from params)::text[]) and not is_service
  order by at, id
  limit (select "limit" from params)
  offset (select "offset" from params)
) as hit
order by hit.at, hit.id

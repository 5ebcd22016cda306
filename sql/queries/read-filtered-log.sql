-- Hits of `types` with their visitors, the newest first.
select
  {logged_hit}
from (
  select *
  from filtered_hits
  where type = any((select types from params)::text[])
  order by at desc, id desc
  limit (select "limit" from params)
  offset (select "offset" from params)
) as hit
{actor_of_hit}
order by hit.at desc, hit.id desc

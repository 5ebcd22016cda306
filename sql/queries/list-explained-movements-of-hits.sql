-- As list-explained-movements, of sessions that have a filtered hit with the value.
select listed.*
from (
  select
    {explained_movement}
  from movements_in_range as money
  where money.currency = (select currency from params)
    and money.session_no in (select session_no from filtered_hits where not is_service)
) as listed
cross join params
{newest_first}

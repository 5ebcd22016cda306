-- A page of the filtered MRR movements of the range, the newest first. `afterAt` is after all times on the first page.
select listed.*
from (
  select
    {explained_movement}
  from movements_in_range as money
  where money.currency = (select currency from params)
) as listed
cross join params
{newest_first}

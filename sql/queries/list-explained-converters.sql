-- A page of the visitors with a conversion in the range, those first who converted last. `afterAt` is after all times on the first page.
select at, id
from (
  select converted.at, visitors.id::text as id
  from (
    select visitor_no, max(at) as at
    from conversions
    where visitor_no is not null
    group by 1
  ) as converted
  join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = converted.visitor_no
) as listed
cross join params
{newest_first}

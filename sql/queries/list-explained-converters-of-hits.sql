-- As list-explained-converters, in sessions that have a filtered hit with the value.
select at, id
from (
  select converted.at, visitors.id::text as id
  from (
    select visitor_no, max(at) as at
    from conversions
    where visitor_no is not null
      and session_no in (select session_no from filtered_hits where not is_service)
    group by 1
  ) as converted
  join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = converted.visitor_no
) as listed
cross join params
{newest_first}

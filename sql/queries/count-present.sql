-- Distinct visitors of the hits of site :siteNo in [:start, :end): one row without dimension for all of them, and one for each of the at
-- most :limit values with most visitors of each dimension; ties by value. One scan for all of them.
select dimension, value, visitors
from (
  select
    dimension,
    value,
    visitors,
    row_number() over (partition by dimension order by visitors desc, value collate "C") as place
  from (
    select
      case
        when grouping(path) = 0 then 'path'
        when grouping(source) = 0 then 'source'
        when grouping(country) = 0 then 'country'
      end as dimension,
      coalesce(path, source, country) as value,
      count(distinct visitor_no) as visitors
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
      and type not in ('engagement', 'identify') and not is_service
    group by grouping sets ((), (path), (source), (country))
  ) as counted
) as ranked
where place <= :limit::bigint
order by dimension, place

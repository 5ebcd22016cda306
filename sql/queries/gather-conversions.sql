-- As count-conversions.sql, of a slice of visits: with the visitors themselves, which may be in other slices, too.
select
  goal,
  count(*) as conversions,
  coalesce(
    sum(revenue_minor) filter (where revenue_currency = (select currencies from asked)[goal + 1]), 0
  )::text as revenue,
  array_send(array_agg(distinct visitor_no)) as visitors
from conversions
group by goal

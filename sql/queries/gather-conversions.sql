-- Like count-conversions.sql, for one row slice: returns the visitors instead of their number, since other slices may have the
-- same visitors.
select
  goal,
  count(*) as conversions,
  coalesce(
    sum(revenue_minor) filter (where revenue_currency = (select currencies from asked)[goal + 1]), 0
  )::text as revenue,
  array_send(array_agg(distinct visitor_no)) as visitors
from conversions
group by goal

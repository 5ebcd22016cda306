-- One row a goal that was converted: `goal` is the number its targets carry.
select
  goal,
  count(*) as conversions,
  count(distinct visitor_no) as visitors,
  coalesce(sum(revenue_minor) filter (
    where revenue_currency = (select currencies from asked)[goal + 1]
  ), 0)::bigint as revenue
from conversions
group by goal

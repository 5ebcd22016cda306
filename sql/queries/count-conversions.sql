-- One row for each goal that was converted: `goal` is the number of the goal in its targets.
-- revenue: numeric, sent as text, because it may exceed the integers that JavaScript represents exactly.
-- Groups by visitor first: a hash of visitors is cheaper than the sort of count(distinct).
select
  goal,
  sum(conversions)::bigint as conversions,
  count(visitor_no) as visitors,
  coalesce(sum(revenue), 0)::text as revenue
from (
  select
    goal,
    visitor_no,
    count(*) as conversions,
    sum(revenue_minor) filter (where revenue_currency = (select currencies from asked)[goal + 1]) as revenue
  from conversions
  group by 1, 2
) as visitor
group by goal

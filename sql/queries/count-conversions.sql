-- One row a goal that was converted: `goal` is the number its targets carry.
-- revenue: numeric, sent as text: it may be beyond what JavaScript reads exactly.
-- By visitor first: a hash of visitors is cheaper than sorting them for count(distinct).
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

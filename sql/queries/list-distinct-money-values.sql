-- Every value of a dimension among the sessions that money is attributed to; rows as in list-distinct-values.sql.
select
  case
    when sum(sum(length(value))) over () <= (select characters from asked) then array_agg(value)
  end as found
from (
  select value, sum(length(value) + 8) over (rows unbounded preceding) / 50000 as part
  from (
    select value from filtered_payments
    union
    select value from filtered_movements
  ) as distinct_value
) as numbered
group by part

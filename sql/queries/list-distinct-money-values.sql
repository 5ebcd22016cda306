-- Every value that a dimension has among the sessions that money is attributed to; as list-distinct-values.sql.
select
  sum(length(value))::bigint as characters,
  case when sum(length(value)) <= (select characters from asked) then array_agg(value) end as found
from (
  select value from kept_payments
  union
  select value from kept_movements
) as distinct_value

-- Every value that hits have under one of `asked.keys`, under any where there are none; as list-distinct-values.sql.
select
  sum(length(value))::bigint as characters,
  case when sum(length(value)) <= (select characters from asked) then array_agg(value) end as found
from (
  select distinct property.value
  from kept_hits
  cross join lateral jsonb_each_text(props) as property
  where cardinality((select keys from asked)) = 0 or property.key = any((select keys from asked)::text[])
) as distinct_value

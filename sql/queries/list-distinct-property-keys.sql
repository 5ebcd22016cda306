-- Every key that hits have properties under; as list-distinct-values.sql.
select
  sum(length(value))::bigint as characters,
  case when sum(length(value)) <= (select characters from asked) then array_agg(value) end as found
from (
  select distinct property.key as value
  from kept_hits
  cross join lateral jsonb_object_keys(props) as property (key)
) as distinct_value

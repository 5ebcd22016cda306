-- Every property key of the filtered hits; rows as in list-distinct-values.sql.
select
  case
    when sum(sum(length(value))) over () <= (select characters from asked) then array_agg(value)
  end as found
from (
  select value, sum(length(value) + 8) over (rows unbounded preceding) / 50000 as part
  from (
    select distinct property.key as value
    from filtered_hits
    cross join lateral jsonb_object_keys(props) as property (key)
  ) as distinct_value
) as numbered
group by part

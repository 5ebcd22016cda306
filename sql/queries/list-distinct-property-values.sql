-- Every value that the filtered hits have under one of `asked.keys`, or under any key if there are none; rows as in
-- list-distinct-values.sql.
select
  case
    when sum(sum(length(value))) over () <= (select characters from asked) then array_agg(value)
  end as found
from (
  select value, sum(length(value) + 8) over (rows unbounded preceding) / 50000 as part
  from (
    select distinct property.value
    from filtered_hits
    cross join lateral jsonb_each_text(props) as property
    where cardinality((select keys from asked)) = 0 or property.key = any((select keys from asked)::text[])
  ) as distinct_value
) as numbered
group by part

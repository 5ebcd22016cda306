-- Every value that a dimension has among hits, unless they are more than `asked.characters` together.
select
  sum(length(value))::bigint as characters,
  case when sum(length(value)) <= (select characters from asked) then array_agg(value) end as found
from (select distinct value from kept_hits) as distinct_value

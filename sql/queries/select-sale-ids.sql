-- The ids $2 and those that the processor said are of one sale with them, the fewest steps away first, at most $3. The
-- limit ends the search: of a recursive query only as many rows are made as are asked for.
with recursive sale (id) as (
  select unnest($2::text[])
  union
  select linked.id
  from sale
  join processor_facts as fact on fact.site_no = $1::int and fact.sale_ids @> array[sale.id]
  cross join unnest(fact.sale_ids) as linked (id)
)
select id
from sale
limit $3::int

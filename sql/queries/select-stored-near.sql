-- Ids of those hits ($1 id) that are stored already, all of them of the sites $2 (site_no) and from $3 to $4: all rows of that
-- time are compared, but $5 of them at most. A row without an id says that there may be more. Looked up one by one, each hit
-- would be looked for in every chunk's plan: 30 µs, where a row takes 1 (TimescaleDB 2.28).
-- As an intersection, since it is never joined row by row.
with near as materialized (
  select id
  from events
  where site_no = any($2::int[]) and at >= $3::timestamptz and at <= $4::timestamptz
  limit $5::int
)
(select id from unnest($1::uuid[]) as hit (id) intersect select id from near)
union all
select null where (select count(*) from near) >= $5::int

-- Ids of the hits $1 (id) that are stored already. All hits are of the sites $2 (site_no) and between $3 and $4. Compares them
-- with all rows of that time, at most $5 rows; a row with a null id says that this limit was reached. A lookup for each hit would
-- search every chunk of the plan: 30 µs for a hit, against 1 µs for a row here (TimescaleDB 2.28).
-- An intersection, since PostgreSQL never runs it as a nested loop.
with near as materialized (
  select id
  from events
  where site_no = any($2::int[]) and at >= $3::timestamptz and at <= $4::timestamptz
  limit $5::int
)
(select id from unnest($1::uuid[]) as hit (id) intersect select id from near)
union all
select null where (select count(*) from near) >= $5::int

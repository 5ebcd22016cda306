-- Ids of those hits ($1 id) that are stored already, all of them of the sites $2 (site_no) and from $3 to $4, which is a
-- short time: all hits of it are compared. Looked up one by one, each would be looked for in every chunk's plan, which costs
-- ten times as much as finding it (20 µs, TimescaleDB 2.28). As an intersection, since it is never joined row by row.
select id from unnest($1::uuid[]) as hit (id)
intersect
select id from events
where site_no = any($2::int[]) and at >= $3::timestamptz and at <= $4::timestamptz

-- Inserts rows of site $1 that wait for visitor $2: one element for each row of $3 target, $4 time, $5 id.
insert into awaiting_visitors (site_no, visitor_id, target, at, id)
select $1::int, $2::uuid, target, at, id
from unnest($3::text[], $4::timestamptz[], $5::uuid[]) as waiting (target, at, id)
on conflict do nothing

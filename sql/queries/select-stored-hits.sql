-- Ids of those hits that are stored already. $1 site_no, $2 time, $3 id: one element a hit.
-- $4 and $5 bound the times, so that only their chunks are looked at.
select events.id
from unnest($1::int[], $2::timestamptz[], $3::uuid[]) as hit (site_no, at, id)
join events on events.site_no = hit.site_no and events.at = hit.at and events.id = hit.id
where events.at >= $4::timestamptz and events.at <= $5::timestamptz

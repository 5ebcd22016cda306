-- Ids of the hits that are stored already. $1 site_no, $2 time, $3 id: one element for each hit.
-- $4 and $5: bounds of the times, so that only chunks of these times are read.
select events.id
from unnest($1::int[], $2::timestamptz[], $3::uuid[]) as hit (site_no, at, id)
join events on events.site_no = hit.site_no and events.at = hit.at and events.id = hit.id
where events.at >= $4::timestamptz and events.at <= $5::timestamptz

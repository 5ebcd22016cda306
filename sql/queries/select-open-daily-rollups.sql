-- Rollups of site $1 that are not final at $2 ($3: how long a day stays open after its end), the newest first. hasHits: whether
-- there may be hits to add, of sessions with hits within the last $4 before rolled_up_to, or new hits.
select
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end",
  exists (
    select from events
    where events.site_no = $1::int and at >= rolled_up_to - $4::interval and at < $2::timestamptz
  ) as "hasHits"
from daily_rollups
where site_no = $1::int and rolled_up_to < least(ends_at + $3::interval, $2::timestamptz)
order by starts_at desc

-- Pageviews and custom events of the rolled-up days of site $1 that begin in [$2, $3): approximately the number of hits that a
-- search for goal values must read.
select coalesce(sum(pageviews + custom_events), 0)::bigint as hits
from daily_rollups
where site_no = $1::int and starts_at >= $2::timestamptz and starts_at < $3::timestamptz

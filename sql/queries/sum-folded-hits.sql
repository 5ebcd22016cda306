-- Pageviews and custom events of the folded days of site $1 that begin in [$2, $3): about how many hits there are to look
-- through for what goals can match.
select coalesce(sum(pageviews + custom_events), 0)::bigint as hits
from day_folds
where site_no = $1::int and starts_at >= $2::timestamptz and starts_at < $3::timestamptz

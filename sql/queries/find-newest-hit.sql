-- Unix milliseconds of the newest hit of site $1 in [$2, $3), null without one.
select (extract(epoch from max(at)) * 1000)::bigint as at
from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz

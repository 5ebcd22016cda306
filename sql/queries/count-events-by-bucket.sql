-- Hits of site $1 in [$2, $3) by 15-minute bucket, ascending; empty buckets are absent.
select time_bucket(interval '15 minutes', at) as bucket, count(*)::int as count
from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
group by 1
order by 1

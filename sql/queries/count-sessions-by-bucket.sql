-- Sessions of site $1 that started in [$2, $3), by 15-minute bucket, ascending; empty buckets are absent.
select time_bucket(interval '15 minutes', started_at) as bucket, count(*)::int as count
from sessions
where site_no = $1::int and started_at >= $2::timestamptz and started_at < $3::timestamptz
group by 1
order by 1

-- Approximate number of hits of site $1 in [$2, $3), ascending by time: by day where days are rolled up, then by 6 hours. Dirty
-- buckets are ignored: the only use is to cut the time into parts of similar size.
with rolled_up as (
  select starts_at, ends_at, pageviews + custom_events as hits
  from daily_rollups
  where site_no = $1::int and ends_at > $2::timestamptz and starts_at < $3::timestamptz
)
select starts_at as "startsAt", ends_at as "endsAt", hits from rolled_up
union all
select
  time_bucket(interval '6 hours', bucket),
  time_bucket(interval '6 hours', bucket) + interval '6 hours',
  sum(pageview + event)::bigint
from log_15m
where site_no = $1::int
  and bucket >= greatest($2::timestamptz, (select max(ends_at) from rolled_up))
  and bucket < $3::timestamptz
group by 1
order by 1

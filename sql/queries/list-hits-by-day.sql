-- About how many hits site $1 has in [$2, $3), in order of time: by day as far as days are rolled up, then by quarter of a
-- day. Only to cut the time in parts of like size: marks of late hits are not looked at.
with rolled_up as (
  select starts_at, ends_at, pageviews + custom_events as hits
  from day_folds
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

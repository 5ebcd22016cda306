-- Approximate number of hits of a site in [start, end), ascending by time: by day where days are rolled up, then by 6 hours.
-- Dirty buckets are ignored: the only use is to cut the time into slices of similar size.
with rolled_up as (
  select starts_at, ends_at, pageviews + custom_events as hits
  from daily_rollups
  where site_no = :siteNo::int and ends_at > :start::timestamptz and starts_at < :end::timestamptz
)
select starts_at as "startsAt", ends_at as "endsAt", hits from rolled_up
union all
select
  time_bucket(interval '6 hours', bucket),
  time_bucket(interval '6 hours', bucket) + interval '6 hours',
  sum(pageview + event)::bigint
from log_15m
where site_no = :siteNo::int
  and bucket >= greatest(:start::timestamptz, (select max(ends_at) from rolled_up))
  and bucket < :end::timestamptz
group by 1
order by 1

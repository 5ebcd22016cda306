-- One row a 15-minute bucket of [$2, $3), UTC, in which site $1 has hits; empty buckets are absent.
-- visitors: array_send bytes of the distinct visitor_no, so that a thread reads them without parsing text.
-- Dirty buckets come from raw rows; what lies above the aggregate's watermark does so by itself.
with dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'hits' and site_no = $1::int and bucket >= $2::timestamptz and bucket < $3::timestamptz
)
select
  bucket,
  pageviews,
  custom_events as "customEvents",
  array_send(visitors) as visitors
from hits_15m
where site_no = $1::int
  and bucket >= $2::timestamptz
  and bucket < $3::timestamptz
  and bucket not in (select bucket from dirty)
union all
select
  dirty.bucket,
  count(*) filter (where events.type = 'pageview'),
  count(*) filter (where events.type = 'event' and not events.is_service),
  array_send(
    array_agg(distinct events.visitor_no)
      filter (where events.type not in ('engagement', 'identify') and not events.is_service)
  )
from dirty
join events on events.site_no = $1::int
  and events.at >= dirty.bucket
  and events.at < dirty.bucket + interval '15 minutes'
where events.at >= $2::timestamptz and events.at < $3::timestamptz
group by dirty.bucket

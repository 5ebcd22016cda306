-- One row for each 15-minute bucket, UTC, in which a site (:siteNos) has hits in its range [:starts, :ends); empty buckets are absent.
-- visitors: array_send bytes of the distinct visitor_no, in base64: a thread reads them without text parsing.
-- Dirty buckets are counted from raw rows, and so are the hits since :refreshedTo. Before the site's details_from there are no rows, and
-- the aggregate may have been refreshed without them: kept buckets answer.
with asked as (
  select
    site_no,
    starts_at as kept_from,
    least(ends_at, details_from) as kept_to,
    greatest(starts_at, details_from) as starts_at,
    ends_at
  from unnest(:siteNos::int[], :starts::timestamptz[], :ends::timestamptz[]) as span (site_no, starts_at, ends_at)
  left join (select site_no, details_from from sites where details_from is not null) as site using (site_no)
),
dirty as materialized (
  select asked.site_no, bucket
  from asked
  join dirty_buckets on
    aggregate = 'hits' and dirty_buckets.site_no = asked.site_no and bucket >= starts_at and bucket < ends_at
    and bucket < :refreshedTo::timestamptz
)
select
  asked.site_no as "siteNo",
  bucket,
  pageviews,
  custom_events as "customEvents",
  encode(array_send(visitors), 'base64') as visitors
from asked
cross join lateral (
  -- One index scan for each range ("offset 0" enforces it): a join would read all buckets. 31 sites take 2 ms, against 7 ms
  -- for 31 statements.
  select bucket, pageviews, custom_events, visitors
  from hits_15m_refreshed as refreshed
  where refreshed.site_no = asked.site_no and bucket >= asked.starts_at and bucket < asked.ends_at
    and bucket < :refreshedTo::timestamptz
  offset 0
) as filled
where (asked.site_no, bucket) not in (select site_no, bucket from dirty)
union all
select
  dirty.site_no,
  dirty.bucket,
  hit.pageviews,
  hit.custom_events,
  encode(array_send(hit.visitors), 'base64')
from dirty
cross join lateral (
  select
    count(*) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as custom_events,
    array_agg(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service) as visitors
  from events
  where site_no = dirty.site_no and at >= dirty.bucket and at < dirty.bucket + interval '15 minutes'
) as hit
where hits > 0
union all
select asked.site_no, since.bucket, since.pageviews, since.custom_events, encode(array_send(since.visitors), 'base64')
from asked
cross join lateral (
  select
    time_bucket(interval '15 minutes', at) as bucket,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as custom_events,
    array_agg(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service) as visitors
  from events
  where site_no = asked.site_no and at >= greatest(asked.starts_at, :refreshedTo::timestamptz) and at < asked.ends_at
    and at >= :refreshedTo::timestamptz
  group by 1
) as since
where asked.ends_at > :refreshedTo::timestamptz
union all
select asked.site_no, kept.bucket, kept.pageviews, kept.custom_events, encode(array_send(kept.visitors), 'base64')
from asked
cross join lateral (
  select bucket, pageviews, custom_events, visitors
  from kept_hit_buckets
  where kept_hit_buckets.site_no = asked.site_no and bucket >= asked.kept_from and bucket < asked.kept_to
  offset 0
) as kept

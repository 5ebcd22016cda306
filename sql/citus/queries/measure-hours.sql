-- As the common one: the buckets come from the shards first.
with found as materialized (
  select wanted.site_no, wanted.start, buckets.pageviews, buckets.visitors
  from unnest(:siteNos::int[], :starts::timestamptz[]) as wanted (site_no, start)
  join hits_15m as buckets
    on buckets.site_no = wanted.site_no
    and buckets.bucket >= wanted.start
    and buckets.bucket < wanted.start + interval '1 hour'
  where buckets.site_no = any(:siteNos::int[])
)
select
  wanted.site_no as "siteNo", wanted.start, coalesce(hour.pageviews, 0)::int as pageviews, hour.visitors
from unnest(:siteNos::int[], :starts::timestamptz[]) as wanted (site_no, start)
cross join lateral (
  select
    sum(found.pageviews) as pageviews,
    (
      select count(distinct visitor_no)::int
      from found as bucket
      cross join unnest(bucket.visitors) as visitor_no
      where bucket.site_no = wanted.site_no and bucket.start = wanted.start
    ) as visitors
  from found
  where found.site_no = wanted.site_no and found.start = wanted.start
) as hour

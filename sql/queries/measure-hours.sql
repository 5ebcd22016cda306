-- Traffic of sites in hours that are long over, one row a site and hour, from the 15-minute aggregate.
select
  wanted.site_no as "siteNo", wanted.start, coalesce(hour.pageviews, 0)::int as pageviews, hour.visitors
from unnest(:siteNos::int[], :starts::timestamptz[]) as wanted (site_no, start)
cross join lateral (
  select
    sum(buckets.pageviews) as pageviews,
    (
      select count(distinct visitor_no)::int
      from hits_15m as bucket
      cross join unnest(bucket.visitors) as visitor_no
      where
        bucket.site_no = wanted.site_no
        and bucket.bucket >= wanted.start
        and bucket.bucket < wanted.start + interval '1 hour'
    ) as visitors
  from hits_15m as buckets
  where
    buckets.site_no = wanted.site_no
    and buckets.bucket >= wanted.start
    and buckets.bucket < wanted.start + interval '1 hour'
) as hour

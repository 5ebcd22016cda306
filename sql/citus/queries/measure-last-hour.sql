-- As the common one: each shard counts its sites.
select
  asked.site_no as "siteNo",
  coalesce(hour.pageviews, 0)::int as pageviews,
  coalesce(hour.errors, 0)::int as errors,
  coalesce(hour.visitors, 0)::int as visitors
from unnest(:siteNos::int[]) as asked (site_no)
left join (
  select
    site_no,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'error') as errors,
    count(distinct visitor_no) filter (where type not in ('engagement', 'identify')) as visitors
  from events
  where
    site_no = any(:siteNos::int[])
    and at >= :start::timestamptz
    and at < :end::timestamptz
    and not is_service
  group by site_no
) as hour using (site_no)

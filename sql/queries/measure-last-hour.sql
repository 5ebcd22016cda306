-- Traffic of sites in [start, end), from rows: the aggregates are an hour behind. Service events are no traffic.
select
  site_no as "siteNo", hour.pageviews, hour.errors, hour.visitors
from unnest(:siteNos::int[]) as site_no
cross join lateral (
  select
    count(*) filter (where type = 'pageview')::int as pageviews,
    count(*) filter (where type = 'error')::int as errors,
    count(distinct visitor_no) filter (where type not in ('engagement', 'identify'))::int as visitors
  from events
  where
    events.site_no = site_no.site_no
    and at >= :start::timestamptz
    and at < :end::timestamptz
    and not is_service
) as hour

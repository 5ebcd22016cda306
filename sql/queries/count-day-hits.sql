-- Counts of the hits of site :siteNo in [:start, :end). visitors: array_send bytes of their distinct visitor_no.
select
  coalesce(sum(pageviews), 0)::bigint as pageviews,
  coalesce(sum(custom_events), 0)::bigint as "customEvents",
  array_send(coalesce(array_agg(visitor_no), '{}')) as visitors
from (
  select
    visitor_no,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event') as custom_events
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type not in ('engagement', 'identify') and not is_service
  group by visitor_no
) as visitor

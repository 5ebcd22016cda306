-- What all kept hits come to, as count-kept-hits.sql gives it for a bucket: without working out the buckets of millions.
select
  coalesce(sum(pageviews), 0)::bigint as pageviews,
  coalesce(sum(custom_events), 0)::bigint as "customEvents",
  count(*) filter (where own_hits > 0) as visitors
from (
  select
    visitor_no,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as custom_events,
    count(*) filter (where not is_service) as own_hits
  from kept_hits
  group by 1
) as visitor

-- One row a bucket that has kept hits. `bucket` counts from 0 the half-open buckets that begin at `asked.bounds`.
-- By visitor first: a hash of visitors is cheaper than sorting them for count(distinct).
select
  bucket,
  sum(pageviews)::bigint as pageviews,
  sum(custom_events)::bigint as "customEvents",
  count(*) filter (where own_hits > 0) as visitors
from (
  select
    width_bucket(at, (select bounds from asked)) - 1 as bucket,
    visitor_no,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as custom_events,
    count(*) filter (where not is_service) as own_hits
  from kept_hits
  group by 1, 2
) as visitor
group by bucket

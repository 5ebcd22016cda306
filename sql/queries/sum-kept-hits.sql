-- What all kept hits come to, as count-kept-hits.sql gives it for a bucket: without working out the buckets of millions.
-- Where all rows are one group, sorting their visitors is cheaper than a hash of them.
select
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as "customEvents",
  count(distinct visitor_no) filter (where not is_service) as visitors
from kept_hits

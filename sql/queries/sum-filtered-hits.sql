-- Counts of all filtered hits, with the columns of count-filtered-hits.sql: saves the bucket computation for millions of rows.
-- With all rows in one group, a sort of the visitors is cheaper than a hash of them.
select
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as "customEvents",
  count(distinct visitor_no) filter (where not is_service) as visitors
from filtered_hits

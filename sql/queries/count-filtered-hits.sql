-- One row for each bucket that has filtered hits. `bucket` counts, from 0, the half-open buckets that begin at `asked.bounds`.
-- Visitors are aggregated into arrays and made distinct within each bucket: see rank-filtered-titles.sql.
select
  bucket,
  pageviews,
  "customEvents",
  (select count(distinct visitor_no) from unnest(acted) as visitor_no) as visitors
from (
  select
    width_bucket(at, (select bounds from asked)) - 1 as bucket,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as "customEvents",
    array_agg(visitor_no) filter (where not is_service) as acted
  from filtered_hits
  group by 1
) as kept

-- Like count-filtered-hits.sql, for one row slice: returns the visitors instead of their number, since other slices may have the
-- same visitors.
select
  width_bucket(at, (select bounds from asked)) - 1 as bucket,
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as "customEvents",
  array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors
from filtered_hits
group by 1

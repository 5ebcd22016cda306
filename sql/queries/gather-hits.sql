-- As count-kept-hits.sql, of a slice of visits: with the visitors themselves, which may be in other slices, too.
select
  width_bucket(at, (select bounds from asked)) - 1 as bucket,
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as "customEvents",
  array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors
from kept_hits
group by 1

-- Counts of a row slice for each value of the dimension :dimension, which hits copy from their session; a value may have two rows. The same
-- as count-slice-values.sql has, in less time: hits need not be grouped by session, nor sessions be kept. A reader of a busy site counts a
-- million rows.
select
  value,
  sum(hits)::bigint as hits,
  sum(pageviews)::bigint as pageviews,
  sum(custom_events)::bigint as "customEvents",
  array_send(array_agg(visitor_no)) as visitors,
  0 as sessions,
  0 as bounces,
  0::float8 as "durationMs"
from (
  select
    case :dimension::text {rolled_up_session_choice} end as value,
    visitor_no,
    count(*) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event') as custom_events
  from events
  where site_no = :siteNo::int and at >= :hitsFrom::timestamptz and at < :hitsTo::timestamptz
    and type not in ('engagement', 'identify') and not is_service
  group by 1, 2
) as seen
group by 1
union all
select value, 0, 0, 0, null, count(*), count(*) filter (where pageviews = 1), sum(duration_ms)::float8
from (
  select case :dimension::text {rolled_up_session_choice} end as value, pageviews, duration_ms
  from ({slice_sessions}) as chosen
) as began
group by 1

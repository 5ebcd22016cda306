-- What the values of a dimension of hits have. Visitors and sessions are aggregated into arrays and made distinct within each value:
-- see rank-filtered-titles.sql.
counted as (
  select
    value,
    count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
    array_agg(visitor_no) filter (where not is_service and in_filtered_hits) as visitor_nos,
    array_agg(session_no) filter (where in_session_hits) as session_nos
  from matching_hits
  group by value
)

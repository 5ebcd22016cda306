-- What the values of a dimension of sessions have: hits with them, and sessions that started with them. Visitors are aggregated into
-- arrays and made distinct within each value: see rank-filtered-titles.sql.
visited as (
  select
    value,
    pageviews,
    (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
  from (
    select
      value,
      count(*) filter (where type = 'pageview') as pageviews,
      array_agg(visitor_no) filter (where not is_service) as visitor_nos
    from filtered_hits
    group by value
  ) as counted
),
started as (
  select
    value,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms) as duration_ms
  from filtered_sessions
  group by value
)

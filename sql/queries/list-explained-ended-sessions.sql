-- As list-explained-sessions, for a value that sessions have when they are over: everything counts when they start.
select
  {explained_session}
from (
  select *
  from (
    select
      started_at as "startedAt",
      session_no as "sessionNo",
      visitor_no,
      pageviews::bigint as pageviews,
      0::bigint as custom_events,
      1 as visitors,
      1 as sessions,
      (pageviews = 1)::integer as bounces,
      duration_ms::float8 as duration_ms,
      {no_engagement}
    from filtered_sessions
  ) as counted
  {page_of_sessions}
) as page
left join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = page.visitor_no
order by page."startedAt" desc, page."sessionNo" desc

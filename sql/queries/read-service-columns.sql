-- Events of site :siteNo in [:start, :end) that the service wrote: a JSON array for each column, all in the order of time and id.
-- Their sessions may have started at any time. Without a session it is minus the number of the visitor, or 0 without one. visitorNos, and values, a JSON array for each of {session_dimensions}:
-- what the events say of their sessions.
select
  json_agg(coalesce(session_no, -visitor_no, 0)) as "sessionNos",
  json_agg(visitor_no) as "visitorNos",
  json_agg(is_recognized) as recognized,
  json_agg(coalesce((extract(epoch from session_at) * 1000)::bigint, 0)) as "startedAt",
  json_build_array({session_dimension_arrays}) as "sessionValues",
  json_agg((extract(epoch from at) * 1000)::bigint) as at,
  json_agg(type) as types,
  json_build_array({hit_dimension_arrays}) as "values",
  json_agg(revenue_minor::text) as revenue,
  json_agg(revenue_currency) as currencies,
  json_agg(props) as properties
from (
  select
    events.at, events.id, events.type, events.session_no, events.session_at, events.visitor_no,
    coalesce(is_recognized, false) as is_recognized, events.path, events.title,
    events.hostname, events.name, events.revenue_minor, events.revenue_currency, events.props,
    {service_session_dimensions}
  from events
  -- One lookup for each event: a hash join would read all sessions of the site.
  left join lateral (
    select *
    from sessions
    where sessions.site_no = :siteNo::int and sessions.started_at = events.session_at
      and sessions.session_no = events.session_no
    limit 1
  ) as session on true
  left join lateral (
    select {is_recognized} as is_recognized
    from visitors
    where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no
    limit 1
  ) as visitor on true
  where events.site_no = :siteNo::int and events.at >= :start::timestamptz and events.at < :end::timestamptz and events.is_service
  order by events.at, events.id
) as event

-- Sessions of site :siteNo that started in [:from, :to): a JSON array for each column, all in the order of time and number. values: a JSON
-- array for each of {session_dimensions}. All are null where no session started.
select
  json_agg(session_no) as "sessionNos",
  json_agg(visitor_no) as "visitorNos",
  json_agg(is_recognized) as recognized,
  json_agg((extract(epoch from started_at) * 1000)::bigint) as "startedAt",
  json_agg((extract(epoch from first_at) * 1000)::bigint) as "firstAt",
  json_agg((extract(epoch from last_at) * 1000)::bigint) as "lastAt",
  json_agg(duration_ms) as "durationMs",
  json_agg(pageviews) as pageviews,
  json_agg(events) as events,
  json_build_array({session_dimension_arrays}) as "values"
from (
  select
    session_no, visitor_no, coalesce(is_recognized, false) as is_recognized, started_at, first_at, last_at, duration_ms,
    pageviews, events, {session_dimensions}
  from sessions
  -- One lookup for each session: a join would read all visitors of the site.
  left join lateral (
    select {is_recognized} as is_recognized
    from visitors
    where visitors.site_no = :siteNo::int and visitors.visitor_no = sessions.visitor_no
    limit 1
  ) as visitor on true
  where site_no = :siteNo::int and started_at >= :from::timestamptz and started_at < :to::timestamptz
  order by started_at, session_no
) as session

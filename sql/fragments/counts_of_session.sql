coalesce(started.started_at, hit.session_at) as "startedAt",
session_no as "sessionNo",
coalesce(started.visitor_no, hit.visitor_no) as visitor_no,
coalesce(hit.pageviews, 0) as pageviews,
coalesce(hit.custom_events, 0) as custom_events,
coalesce(hit.visitors, 0) as visitors,
coalesce(sessions, 0) as sessions,
coalesce(bounces, 0) as bounces,
coalesce(duration_ms, 0)::float8 as duration_ms

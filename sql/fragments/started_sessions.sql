select session_no, started_at, visitor_no, 1 as sessions, (pageviews = 1)::integer as bounces, duration_ms
from filtered_sessions

0::bigint as engaged_ms,
0::bigint as engaged_sessions,
0::bigint as scroll_percent,
0::bigint as scrolled_sessions

insert into daily_rollups (
  site_no, starts_at, ends_at, rolled_up_to, pageviews, custom_events, sessions, bounces, duration_ms, visitors
)
values (
  $1::int, $2::timestamptz, $3::timestamptz, $4::timestamptz, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint,
  $10::bytea
)
on conflict (site_no, starts_at, ends_at) do update set
  rolled_up_to = excluded.rolled_up_to,
  pageviews = excluded.pageviews,
  custom_events = excluded.custom_events,
  sessions = excluded.sessions,
  bounces = excluded.bounces,
  duration_ms = excluded.duration_ms,
  visitors = excluded.visitors

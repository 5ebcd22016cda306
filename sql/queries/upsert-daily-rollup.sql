insert into daily_rollups (
  site_no, starts_at, ends_at, pageviews, custom_events, types, sessions, bounces, duration_ms, visitors, dimensions_hash
)
values (
  :siteNo::int, :start::timestamptz, :end::timestamptz, :pageviews::bigint, :customEvents::bigint, :types::text::jsonb,
  :sessions::bigint, :bounces::bigint, :durationMs::bigint, :visitors::bytea, :dimensionsHash
)
on conflict (site_no, starts_at, ends_at) do update set
  pageviews = excluded.pageviews,
  custom_events = excluded.custom_events,
  types = excluded.types,
  sessions = excluded.sessions,
  bounces = excluded.bounces,
  duration_ms = excluded.duration_ms,
  visitors = excluded.visitors,
  dimensions_hash = excluded.dimensions_hash

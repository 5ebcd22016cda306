-- Adds totals to a family; `rows` is a JSON array of objects with day, key, vals and the numbers that the family has. A day and
-- values that are stored already get the sum. An import that is removed gets none, and waits with its removal for this statement.
with import as materialized (
  select import_no
  from totals_imports
  where site_no = :siteNo::int and import_no = :importNo::bigint and removed_at is null
  for share
),
added as (
  insert into totals_days (
    site_no, family_no, day, key, vals, visitors, sessions, pageviews, bounces, duration_seconds, events
  )
  select
    :siteNo::int,
    :familyNo::bigint,
    day,
    key,
    vals,
    coalesce(visitors, 0),
    coalesce(sessions, 0),
    coalesce(pageviews, 0),
    coalesce(bounces, 0),
    coalesce(duration_seconds, 0),
    coalesce(events, 0)
  from import
  cross join jsonb_to_recordset(:rows::text::jsonb) as given (
    day date, key uuid, vals text[], visitors bigint, sessions bigint, pageviews bigint, bounces bigint,
    duration_seconds bigint, events bigint
  )
  on conflict (site_no, family_no, day, key) do update set
    visitors = totals_days.visitors + excluded.visitors,
    sessions = totals_days.sessions + excluded.sessions,
    pageviews = totals_days.pageviews + excluded.pageviews,
    bounces = totals_days.bounces + excluded.bounces,
    duration_seconds = totals_days.duration_seconds + excluded.duration_seconds,
    events = totals_days.events + excluded.events
)
select exists (select from import) as "isThere"

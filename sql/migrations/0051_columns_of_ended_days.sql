-- Days get their session columns soon after their end. Sessions that may still go on are left out, and counted from rows.
alter table daily_rollups
  -- Changes with every write of the columns; null before the first one.
  add column session_columns_version uuid,
  add column open_session_nos bigint[] not null default '{}',
  -- No hit of these sessions is before; null without such sessions.
  add column open_sessions_from timestamptz;

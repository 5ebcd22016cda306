-- Sessions that money is attributed to and no hit of the archive restores; one that is stored already stays.
insert into sessions (
  site_no, started_at, session_no, visitor_no, first_at, last_at, duration_ms, pageviews, events, visit_count, user_id,
  user_since, exit_path, exit_at, {session_attributes}
)
select
  :siteNo::int, given.started_at, nextval('session_numbers'), visitors.visitor_no,
  coalesce((given.session ->> 'first_at')::timestamptz, given.started_at),
  coalesce((given.session ->> 'last_at')::timestamptz, given.started_at),
  coalesce((given.session ->> 'duration_ms')::bigint, 0),
  coalesce((given.session ->> 'pageviews')::int, 0),
  coalesce((given.session ->> 'events')::int, 0),
  coalesce((given.session ->> 'visit_count')::int, 1),
  coalesce(given.session ->> 'user_id', ''),
  (given.session ->> 'user_since')::timestamptz,
  coalesce(given.session ->> 'exit_path', ''),
  (given.session ->> 'exit_at')::timestamptz,
  {session_attributes_of_json}
from jsonb_to_recordset(:rows::text::jsonb) as given (visitor_id uuid, started_at timestamptz, session jsonb)
join visitors on visitors.site_no = :siteNo::int and visitors.id = given.visitor_id
where not exists (
  select
  from sessions
  where
    sessions.site_no = visitors.site_no and sessions.visitor_no = visitors.visitor_no
    and sessions.started_at = given.started_at
)
returning started_at as at

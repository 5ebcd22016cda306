-- Inserts events that the service writes, with the dimensions of the sessions that they are attributed to. Each session is looked up
-- by index, whatever the planner expects of the list.
insert into events (
  site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
  {copied_columns}, props
)
select
  :siteNo::int, given.at, given.id, 'event', given.name, true, given.visitor_no, session.session_no,
  session.started_at, '', '', '', '', {copied_from_session}, given.props
from jsonb_to_recordset(:events::text::jsonb) as given (
  at timestamptz, id uuid, name text, visitor_no integer, session_no bigint, session_at timestamptz, props jsonb
)
left join lateral (
  select *
  from sessions
  where sessions.site_no = :siteNo::int
    and sessions.started_at = given.session_at
    and sessions.session_no = given.session_no
  limit 1
) as session on true
on conflict (site_no, at, id) do nothing

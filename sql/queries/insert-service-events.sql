-- Inserts events that the service writes, of visitors without a session. They have no page.
insert into events (
  site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
  {copied_columns}, props
)
select
  :siteNo::int, given.at, given.id, 'event', given.name, true, given.visitor_no, null, null, '', '', '', '',
  {copied_from_session}, given.props
from jsonb_to_recordset(:events::text::jsonb) as given (
  at timestamptz, id uuid, name text, visitor_no integer, props jsonb
)
left join (select (null::sessions).*) as session on false
on conflict (site_no, at, id) do nothing

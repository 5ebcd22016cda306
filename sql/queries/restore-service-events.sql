-- Events that the service wrote, with the dimensions of the sessions that they are attributed to.
insert into events (
  site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
  {copied_columns}, props, revenue_minor, revenue_currency
)
select
  :siteNo::int, given.at, given.id, 'event', given.name, true, visitor.visitor_no, session.session_no,
  session.started_at, '', '', '', '', {copied_from_session}, given.props, given.revenue_minor, given.revenue_currency
from jsonb_to_recordset(:rows::text::jsonb) as given (
  id uuid, at timestamptz, name text, props jsonb, revenue_minor bigint, revenue_currency text,
  attributed_visitor_id uuid, attributed_session_at timestamptz
)
left join visitors as visitor on visitor.site_no = :siteNo::int and visitor.id = given.attributed_visitor_id
left join lateral (
  select *
  from sessions
  where
    sessions.site_no = :siteNo::int and sessions.visitor_no = visitor.visitor_no
    and sessions.started_at = given.attributed_session_at
  limit 1
) as session on true
on conflict (site_no, at, id) do nothing
returning at

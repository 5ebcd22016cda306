-- Inserts events that the service writes itself; one array for each column. They have no page and copy the other dimensions
-- from their session.
-- props is sent as text, since the driver would encode jsonb[] twice.
insert into events (
  site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
  {copied_columns}, props
)
select
  :siteNo::int, given.at, given.id, 'event', given.name, true, given.visitor_no, session.session_no,
  session.started_at, '', '', '', '', {copied_from_session}, given.props::jsonb
from unnest(
  :times::timestamptz[], :ids::uuid[], :names::text[], :visitorNos::int[], :sessionNos::bigint[],
  :sessionAts::timestamptz[], :properties::text[]
) as given (at, id, name, visitor_no, session_no, session_at, props)
left join lateral (
  select *
  from sessions
  where site_no = :siteNo::int and started_at = given.session_at and session_no = given.session_no
  limit 1
) as session on true
on conflict (site_no, at, id) do nothing

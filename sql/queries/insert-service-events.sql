-- Inserts events of site $1 that the service writes itself; one array for each column. They have no page and copy the other
-- dimensions from their session.
-- props is sent as text, since the driver would encode jsonb[] twice.
insert into events (
  site_no, at, id, type, name, is_service, visitor_no, session_no, session_at, hostname, path, url, title,
  entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content, utm_term, browser,
  os, size, country, region, city, props
)
select
  $1::int, given.at, given.id, 'event', given.name, true, given.visitor_no, session.session_no,
  session.started_at, '', '', '', '', coalesce(session.entry_path, ''), coalesce(session.referrer, ''),
  coalesce(session.source, ''), coalesce(session.channel, ''), coalesce(session.utm_source, ''),
  coalesce(session.utm_medium, ''), coalesce(session.utm_campaign, ''), coalesce(session.utm_content, ''),
  coalesce(session.utm_term, ''), coalesce(session.browser, ''), coalesce(session.os, ''),
  coalesce(session.size, ''), coalesce(session.country, ''), coalesce(session.region, ''),
  coalesce(session.city, ''), given.props::jsonb
from unnest(
  $2::timestamptz[], $3::uuid[], $4::text[], $5::int[], $6::bigint[], $7::timestamptz[], $8::text[]
) as given (at, id, name, visitor_no, session_no, session_at, props)
left join lateral (
  select *
  from sessions
  where site_no = $1::int and started_at = given.session_at and session_no = given.session_no
  limit 1
) as session on true
on conflict (site_no, at, id) do nothing

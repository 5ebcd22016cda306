-- Hits of a visitor in [:start, :end), in order after the hit :afterKey at :afterAt: those of a session, or those without one
-- when :sessionNo is null. url: as it was sent.
select
  events.id,
  session_no as session,
  coalesce((select id::text from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no), '') as visitor_id,
  at as timestamp,
  type as event_type,
  name as event_name,
  hostname,
  path,
  case when url = '' then path || query else url end as url,
  title,
  coalesce(props, '{}') as properties,
  scroll,
  engaged_ms,
  revenue_minor,
  revenue_currency,
  error_id,
  error_message,
  error_stack,
  error_file,
  error_line,
  error_column
from events
where site_no = :siteNo::int and visitor_no = :visitorNo::int and session_no is not distinct from :sessionNo::bigint
  and not is_service
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, id) > (:afterAt::timestamptz, :afterKey::uuid)
order by at, id
limit :limit::int

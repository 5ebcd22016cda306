-- Hits of a visitor in [:start, :end), in order after the hit :afterKey at :afterAt: those of a session, or those without one
-- when :sessionNo is null. url: as it was sent.
select
  events.id,
  session_no as "sessionNo",
  coalesce((select id::text from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no), '') as "visitorId",
  at,
  type,
  name,
  hostname,
  path,
  case when url = '' then path || query else url end as url,
  title,
  props,
  scroll,
  engaged_ms as "engagedMs",
  revenue_minor as "revenueMinor",
  revenue_currency as "revenueCurrency",
  error_id as "errorId",
  error_message as "errorMessage",
  error_stack as "errorStack",
  error_file as "errorFile",
  error_line as "errorLine",
  error_column as "errorColumn"
from events
where site_no = :siteNo::int and visitor_no = :visitorNo::int and session_no is not distinct from :sessionNo::bigint
  and not is_service
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, id) > (:afterAt::timestamptz, :afterKey::uuid)
order by at, id
limit :limit::int

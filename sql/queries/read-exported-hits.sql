-- Hits of a site in [:start, :end), in order after the hit :afterId at :afterAt. Of hits of one time those that open sessions come first,
-- so that engagement and identify find them. Service events belong to the money, not to the hits.
-- url: as it was sent. visitorId and firstSeenAt: only of hits without a session, the others have them from their session.
select
  id, at, type, name, session_no as "sessionNo", session_at as "sessionAt", hostname, path,
  case when url = '' then path || query else url end as url,
  title, props::text as props, scroll, engaged_ms as "engagedMs", page_at as "pageAt", revenue_minor as "revenueMinor",
  revenue_currency as "revenueCurrency", error_id as "errorId", error_message as "errorMessage", error_stack as "errorStack",
  error_file as "errorFile", error_line as "errorLine", error_column as "errorColumn",
  case when session_no is null then
    (select visitors.id::text from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no)
  end as "visitorId",
  case when session_no is null then
    (select first_seen_at from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no)
  end as "firstSeenAt",
  case when type = 'error' then
    (select error_groups.name from error_groups where error_groups.site_no = :siteNo::int and error_groups.error_id = events.error_id)
  end as "errorGroup",
  case when type = 'identify' then
    (
      select json_build_object('identifier', pending_identifier, 'splits', pending_splits)::text
      from visitors
      where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no and pending_identifier is not null and pending_since = events.at
    )
  end as pending
from events
where site_no = :siteNo::int
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, (type in ('engagement', 'identify'))::int, id) > (:afterAt::timestamptz, :afterRank::int, :afterId::uuid)
  and not is_service
order by at, type in ('engagement', 'identify'), id
limit :limit::int

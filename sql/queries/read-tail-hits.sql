-- Hits of site :siteNo in [:from, :to), one row each, of the kinds that rollups count: no identify hits, none of the service. Without
-- :sessionNos all of them, otherwise those of these sessions and of all sessions that started since :to. The sessions are a subquery, which is
-- hashed; an array would be searched from its start for each hit.
-- hash: with the time, it tells whether a hit is known. opened: JSON array of the dimensions that the session takes from the hit that opened
-- it, in the order of the registry; null for other hits.
select
  (extract(epoch from at) * 1000)::float8 as at,
  uuid_hash(id) as hash,
  type,
  session_no as "sessionNo",
  visitor_no as "visitorNo",
  (extract(epoch from session_at) * 1000)::float8 as "sessionAt",
  path,
  title,
  hostname,
  name as event_name,
  case when type = 'error' then error_id::text end as error,
  case when type = 'engagement' then engaged_ms end as "engagedMs",
  case when type = 'engagement' then scroll end as scroll,
  case when at = session_at and type <> 'engagement' then json_build_array({copied_columns})::text end as opened
from events
where site_no = :siteNo::int and at >= :from::timestamptz and at < :to::timestamptz
  and type <> 'identify' and not is_service
  and (
    :sessionNos::bigint[] is null
    or session_at >= :to::timestamptz
    or session_no in (select unnest(:sessionNos::bigint[]))
  )

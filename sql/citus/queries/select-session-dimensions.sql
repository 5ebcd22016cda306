-- As the common one, in the shards of the sites.
select session_no as "sessionNo", started_at as "startedAt", {session_attribute_fields}
from sessions
where site_no = any(:siteNos::int[])
  and visitor_no = any(:visitorNos::int[])
  and started_at >= :from::timestamptz and started_at <= :to::timestamptz
  and session_no = any(:sessionNos::bigint[])

-- As the common one, for reports of several shards.
select
  stored.visitor_no as "visitorNo", stored.id, stored.at, stored.session_at as "sessionAt", stored.received_at as "receivedAt",
  stored.received_id as "receivedId"
from unnest(:visitorNos::int[], :ids::uuid[]) as report (visitor_no, id)
join web_vitals as stored on stored.visitor_no = report.visitor_no and stored.id = report.id
where stored.site_no = any(:siteNos::int[]) and stored.at >= :from::timestamptz and stored.at <= :to::timestamptz

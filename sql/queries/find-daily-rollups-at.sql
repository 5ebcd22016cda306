-- Distinct rollups whose day contains one of the times $2 of the sites $1.
select distinct
  daily_rollups.site_no as "siteNo",
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end"
from unnest($1::int[], $2::timestamptz[]) as given (site_no, at)
join daily_rollups on daily_rollups.site_no = given.site_no and starts_at <= given.at and ends_at > given.at

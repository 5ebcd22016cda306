-- Newest hit of each site since a time; null without one.
select site_no as "siteNo", newest.at
from unnest(:siteNos::int[]) as site_no
left join lateral (
  select at
  from events
  where
    events.site_no = site_no.site_no
    and at >= :since::timestamptz
    and at <= :now::timestamptz
    and not is_service
  order by at desc
  limit 1
) as newest on true

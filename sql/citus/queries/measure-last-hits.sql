-- As the common one: each shard looks at its sites.
select asked.site_no as "siteNo", newest.at
from unnest(:siteNos::int[]) as asked (site_no)
left join (
  select site_no, max(at) as at
  from events
  where
    site_no = any(:siteNos::int[])
    and at >= :since::timestamptz
    and at <= :now::timestamptz
    and not is_service
  group by site_no
) as newest using (site_no)

-- As the common one: what the workers have first, then what is on the coordinator.
with
  paid as materialized (
    select site_no, bool_or(source = 'api') as by_api from payments where site_no = any(:siteNos::int[]) group by site_no
  ),
  filed as materialized (
    select distinct site_no from processor_facts where site_no = any(:siteNos::int[]) and event_id = 'file'
  )
select
  asked.site_no as "siteNo",
  exists (select from processor_connections where processor_connections.site_no = asked.site_no)
  or exists (select from filed where filed.site_no = asked.site_no)
  or coalesce(paid.by_api, false) as "hasRevenue",
  paid.site_no is not null as "hasPayments"
from unnest(:siteNos::int[]) as asked (site_no)
left join paid using (site_no)

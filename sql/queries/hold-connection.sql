-- A row while site $1 is there and connected with the webhook secret $2, as it is sealed. Until the transaction ends, whoever
-- disconnects it or connects another waits.
select site_no as "siteNo"
from processor_connections
where
  site_no = $1::int
  and webhook_secret = $2::bytea
  and exists (
    select
    from sites
    where sites.site_no = processor_connections.site_no and deleted_at is null
  )
for share

-- One row if site $1 exists and is connected with the webhook secret $2 (encrypted). Until the transaction ends, other
-- transactions cannot disconnect it or connect it with another secret.
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

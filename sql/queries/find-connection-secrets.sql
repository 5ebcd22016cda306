-- Site with id $1 and its encrypted secrets; no row when it is not connected.
select
  sites.site_no as "siteNo",
  sites.id,
  sites.currency,
  sites.timezone,
  processor_connections.webhook_secret as "webhookSecret",
  processor_connections.api_key as "apiKey"
from sites
join processor_connections on processor_connections.site_no = sites.site_no
where sites.id = $1::uuid and sites.deleted_at is null

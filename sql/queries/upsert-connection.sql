-- Connects site $1 with these encrypted secrets ($2 webhook, $3 API key) at $4; a reconnect keeps the first connected_at. No row
-- for a deleted site.
insert into processor_connections (site_no, provider, webhook_secret, api_key, connected_at)
select site_no, 'stripe', $2::bytea, $3::bytea, $4::timestamptz
from sites
where site_no = $1 and deleted_at is null
on conflict (site_no) do update set webhook_secret = excluded.webhook_secret, api_key = excluded.api_key
returning connected_at as "connectedAt"

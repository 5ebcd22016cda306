-- Deliveries that are due, the first few of each endpoint, those that wait longest first. Each endpoint is looked up by itself, so
-- that the queue of one does not hide that of another. `busy`: endpoints that get no further attempt now.
select
  due.id,
  due.attempts,
  due.retry_until as "retryUntil",
  endpoint.id as "endpointId",
  endpoint.failing_since is not null as "isFailing",
  endpoint.format,
  endpoint.url,
  endpoint.secret,
  case when endpoint.previous_secret_until > :now::timestamptz then endpoint.previous_secret end as "previousSecret",
  event.id as "eventId",
  event.type,
  event.created_at as "createdAt",
  event.data,
  sites.id as "siteId",
  sites.domain,
  sites.timezone
from webhook_endpoints as endpoint
join sites on sites.site_no = endpoint.site_no and sites.deleted_at is null
cross join lateral (
  select id, event_id, attempts, retry_until, next_at, created_at
  from webhook_deliveries
  where endpoint_id = endpoint.id and state = 'pending' and next_at <= :now::timestamptz
  order by next_at, created_at, id
  limit :limit::int
) as due
join outgoing_events as event on event.id = due.event_id
where endpoint.is_enabled and endpoint.id <> all(:busy::uuid[])
order by due.next_at, event.event_no

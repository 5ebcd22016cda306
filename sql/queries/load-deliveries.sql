-- Deliveries with all that their attempts need. Those are left out that must not be sent any more: the event was deleted by an
-- erasure, the endpoint was switched off, or the token that made it has ended.
select
  delivery.id,
  delivery.attempts,
  endpoint.id as "endpointId",
  endpoint.format,
  endpoint.url,
  endpoint.secret,
  case when endpoint.previous_secret_until > :now::timestamptz then endpoint.previous_secret end as "previousSecret",
  event.id as "eventId",
  event.type,
  event.created_at as "createdAt",
  event.data,
  hit.data as "hitData",
  sites.id as "siteId",
  sites.domain
from webhook_deliveries as delivery
join webhook_endpoints as endpoint on endpoint.id = delivery.endpoint_id
join sites on sites.site_no = delivery.site_no and sites.deleted_at is null
join outgoing_events as event on event.id = delivery.event_id
left join outgoing_hits as hit on hit.site_no = event.site_no and hit.hit_id = event.hit_id
where
  delivery.id = any(:ids::uuid[])
  and delivery.state = 'pending'
  and endpoint.is_enabled
  and {webhook_has_maker}

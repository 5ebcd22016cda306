-- Deletes the oldest events before a time with their deliveries, attempts and hits, at most `limit`; none for which a delivery still
-- waits.
-- Always one row.
with old as (
  select id, site_no, hit_id
  from outgoing_events
  where
    created_at < :before::timestamptz
    and is_spread
    and not exists (
      select
      from webhook_deliveries
      join webhook_endpoints on webhook_endpoints.id = webhook_deliveries.endpoint_id
      where webhook_deliveries.event_id = outgoing_events.id and state = 'pending'
    )
  order by created_at
  limit :limit::int
),
deliveries as (delete from webhook_deliveries where event_id = any(array(select id from old)) returning id),
attempts as (delete from webhook_attempts where delivery_id = any(array(select id from deliveries))),
hits as (
  delete from outgoing_hits
  where
    (site_no, hit_id) in (select site_no, hit_id from old)
    -- Its other conversions may stay. A subquery for each hit, so that no plan joins all events.
    and (
      select count(*)
      from outgoing_events as other
      where
        other.site_no = outgoing_hits.site_no
        and other.hit_id = outgoing_hits.hit_id
        and other.id <> all(array(select id from old))
    ) = 0
),
events as (delete from outgoing_events where id = any(array(select id from old)) returning id)
select count(*)::int as count from events

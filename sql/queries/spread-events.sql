-- Makes the deliveries of the oldest events that have none yet, at most `limit` events. An endpoint whose queue is full gets none;
-- its `dropped` counts them. Always one row, which also says whether deliveries waited before.
with taken as (
  select id, event_no, site_no, type, occurred_at, endpoint_ids
  from outgoing_events
  where not is_spread
  order by event_no
  limit :limit::int
  for update skip locked
),
wanted as (
  select
    taken.id as event_id,
    taken.event_no,
    taken.site_no,
    endpoint.id as endpoint_id,
    row_number() over (partition by endpoint.id order by taken.event_no) as position
  from taken
  join sites on sites.site_no = taken.site_no and sites.deleted_at is null
  join webhook_endpoints as endpoint on endpoint.site_no = taken.site_no and endpoint.is_enabled
  where
    case
      when taken.endpoint_ids is null then taken.type = any(endpoint.kinds) and endpoint.active_since <= taken.occurred_at
      else endpoint.id = any(taken.endpoint_ids)
    end
    and {webhook_has_maker}
),
queued as (
  select endpoint_id, count(*) as count
  from webhook_deliveries
  where state = 'pending' and endpoint_id in (select endpoint_id from wanted)
  group by endpoint_id
),
with_room as (
  select wanted.*, coalesce(queued.count, 0) + position <= :mostWaiting::int as has_room
  from wanted
  left join queued using (endpoint_id)
),
made as (
  insert into webhook_deliveries (site_no, endpoint_id, event_id, event_no, created_at, retry_until, next_at)
  select site_no, endpoint_id, event_id, event_no, :now::timestamptz, :retryUntil::timestamptz, :now::timestamptz
  from with_room
  where has_room
  on conflict (event_id, endpoint_id) do nothing
),
refused as (
  update webhook_endpoints
  set dropped = dropped + lost.count
  from (select endpoint_id, count(*) as count from with_room where not has_room group by endpoint_id) as lost
  where webhook_endpoints.id = lost.endpoint_id
),
done as (update outgoing_events set is_spread = true where id in (select id from taken))
select count(*)::int as count, exists (select from webhook_deliveries where state = 'pending') as "isWaiting" from taken

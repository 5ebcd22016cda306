-- Chunks of a session after a place, without their data: recording by recording in the order of their first events, each in order.
-- `after` is a JSON array: start of the recording in milliseconds, its id, position.
with
  placed as (
    select
      at,
      recording,
      position,
      unpacked,
      min(first_event_ms) over (partition by recording) as started_ms
    from replay_chunks
    where site_no = :siteNo::int and session_no = :sessionNo::bigint and at >= :from::timestamptz and at <= :to::timestamptz
  ),
  passed as (select :after::text::jsonb as place)
select at, recording, position, unpacked, started_ms::float8 as "startedMs"
from placed
cross join passed
where (started_ms, recording, position) > ((place ->> 0)::bigint, (place ->> 1)::uuid, (place ->> 2)::int)
order by started_ms, recording, position
limit :limit::int

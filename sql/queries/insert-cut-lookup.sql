-- Notes that items of subscription $2 of site $1 must be asked for, at once, since event $3 (of Unix milliseconds $4) left
-- some out; unless they were asked for in vain for that event.
insert into processor_facts (site_no, event_id, kind, at, object_id, sale_ids, body)
values (
  $1::int,
  'lookup/' || $2::text,
  'lookup',
  now(),
  $2::text,
  '{}',
  jsonb_build_object('of', 'items', 'isMissing', false, 'eventId', $3::text, 'eventAt', $4::bigint)
)
on conflict (site_no, event_id, kind, object_id) do update set at = excluded.at, body = excluded.body
where processor_facts.body ->> 'eventId' is distinct from $3::text

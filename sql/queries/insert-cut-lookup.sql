-- Adds a lookup, due at once, for the items of subscription $2 of site $1, because event $3 (at $4, Unix milliseconds) left some
-- items out. Changes nothing if the existing lookup was made for the same event: that one failed before.
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

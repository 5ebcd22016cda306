-- Adds lookups, due at once, for coupons or prices (kind $2, distinct ids $3) of site $1. Existing lookups stay unchanged.
insert into processor_facts (site_no, event_id, kind, at, object_id, sale_ids, body)
select $1::int, 'lookup/' || id, 'lookup', now(), id, '{}', jsonb_build_object('of', $2::text, 'isMissing', false)
from unnest($3::text[]) as id
on conflict (site_no, event_id, kind, object_id) do nothing

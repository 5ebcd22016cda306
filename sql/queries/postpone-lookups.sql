-- Makes the lookups of ids $2 of site $1 due again in $4 seconds, after they failed; $3: whether the objects are missing.
update processor_facts
set at = now() + make_interval(secs => $4::int), body = body || jsonb_build_object('isMissing', $3::boolean)
where site_no = $1::int and kind = 'lookup' and object_id = any($2::text[])

-- Ids $2 of site $1 were asked for in vain, are missing ($3) or not, and are due again in $4 seconds.
update processor_facts
set at = now() + make_interval(secs => $4::int), body = body || jsonb_build_object('isMissing', $3::boolean)
where site_no = $1::int and kind = 'lookup' and object_id = any($2::text[])

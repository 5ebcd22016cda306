insert into dead_letters (id, site_no, at, reason, payload)
values ($1::uuid, $2::int, $3::timestamptz, $4::text, $5::text)
on conflict (id) do nothing

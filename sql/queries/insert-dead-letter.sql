-- Stores nothing for a hit of a deleted site.
insert into dead_letters (id, site_no, at, reason, payload)
select $1::uuid, $2::int, $3::timestamptz, $4::text, $5::text
where not exists (select from sites where site_no = $2::int and deleted_at is not null)
on conflict (id) do nothing

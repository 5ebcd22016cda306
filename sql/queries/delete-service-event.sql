-- Deletes service event $3, at time $2, of site $1.
delete from events
where site_no = $1::int and at = $2::timestamptz and id = $3::uuid and is_service

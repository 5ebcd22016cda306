-- Rows of site $1 that wait for visitor $2 no longer: those of $3 id.
delete from awaiting_visitors
where site_no = $1::int and visitor_id = $2::uuid and id = any($3::uuid[])

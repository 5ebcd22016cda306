-- Deletes the rows of site $1 with the ids $3 that wait for visitor $2.
delete from awaiting_visitors
where site_no = $1::int and visitor_id = $2::uuid and id = any($3::uuid[])

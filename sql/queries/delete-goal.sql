delete from goals
where site_no = $1 and id = $2
returning id

delete from revenue
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz

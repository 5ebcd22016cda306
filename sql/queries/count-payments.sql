select count(*)::int as count from payments where site_no = $1::int

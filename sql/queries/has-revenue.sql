select exists (select from revenue where site_no = $1::int) as "hasRevenue"

select exists (select from payments where site_no = $1::int) as "hasPayments"

-- Sets the refunded amount in the ledger: payment $3, at time $2, of site $1, $4 minor units.
update revenue
set refunded_minor = $4::bigint
where site_no = $1::int and at = $2::timestamptz and payment_id = $3::uuid

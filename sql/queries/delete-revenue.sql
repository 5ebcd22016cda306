-- Deletes the ledger row of payment $3, at time $2, of site $1.
delete from revenue where site_no = $1::int and at = $2::timestamptz and payment_id = $3::uuid

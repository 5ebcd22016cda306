-- The ids $2 of site $1 are names of other payments no longer: of none but $3.
delete from payment_aliases
where site_no = $1::int and transaction_id = any($2::text[]) and payment_id <> all($3::uuid[])

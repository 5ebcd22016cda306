-- Deletes aliases of site $1 with the ids $2 that belong to payments other than $3.
delete from payment_aliases
where site_no = $1::int and transaction_id = any($2::text[]) and payment_id <> all($3::uuid[])

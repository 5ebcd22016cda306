-- More ids ($3) by which payment $2 of site $1 is known.
insert into payment_aliases (site_no, transaction_id, payment_id)
select $1::int, transaction_id, $2::uuid
from unnest($3::text[]) as named (transaction_id)
on conflict (site_no, transaction_id) do nothing

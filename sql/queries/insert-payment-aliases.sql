-- More ids ($3) by which payment $2 of site $1 is known; none when it is being deleted.
insert into payment_aliases (site_no, transaction_id, payment_id)
select $1::int, named.transaction_id, payment.id
from (select id from payments where id = $2::uuid for key share) as payment
cross join unnest($3::text[]) as named (transaction_id)
on conflict (site_no, transaction_id) do nothing

-- Adds the ids $3 as aliases of payment $2 of site $1; adds nothing when the payment is being deleted. An id under which another
-- payment was recorded stays with that payment.
insert into payment_aliases (site_no, transaction_id, payment_id)
select $1::int, named.transaction_id, payment.id
from (select id from payments where id = $2::uuid for key share) as payment
cross join unnest($3::text[]) as named (transaction_id)
where
  not exists (
    select from payments where site_no = $1::int and transaction_id = named.transaction_id
  )
on conflict (site_no, transaction_id) do nothing

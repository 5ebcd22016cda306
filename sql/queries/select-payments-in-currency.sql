-- The 1000 newest payments of site $1 in currency $2: newest first, so that fewer of them are the first payment of their
-- customer.
select transaction_id as "transactionId"
from payments
where site_no = $1::int and currency = $2::text
order by paid_at desc, id desc
limit 1000

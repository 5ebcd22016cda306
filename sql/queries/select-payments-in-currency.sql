-- A thousand payments of site $1 in currency $2, the newest first: the fewer are their customers' first ones.
select transaction_id as "transactionId"
from payments
where site_no = $1::int and currency = $2::text
order by paid_at desc, id desc
limit 1000

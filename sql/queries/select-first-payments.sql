-- The first two payments that customer $3 of site $1 made in currency $2, refunded or not.
select id, paid_at as "paidAt"
from payments
where site_no = $1::int and currency = $2::text and customer = $3::text
order by paid_at, id
limit 2

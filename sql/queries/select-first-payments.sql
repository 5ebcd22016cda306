-- The first two payments of customer $3 of site $1 in currency $2, refunded or not; locked, so that their ledger rows can be
-- changed (see lock-payments).
select id, paid_at as "paidAt"
from payments
where site_no = $1::int and currency = $2::text and customer = $3::text
order by paid_at, id
limit 2
for no key update

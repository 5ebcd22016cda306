-- The newest payments and MRR movements attributed to sessions, with the number of all. amount: in minor units, as text; of a payment
-- what was not refunded.
select *, count(*) over () as total
from (
  select
    'payment' as kind, at, payment_id as id, session_no as "sessionNo", '' as name,
    (amount_minor - refunded_minor)::text as amount, currency
  from revenue
  where site_no = :siteNo::int and session_no = any(:sessionNos::bigint[])
  union all
  select
    'mrr' as kind, at, id, session_no as "sessionNo", kind as name,
    amount_minor::text as amount, currency
  from mrr_movements
  where site_no = :siteNo::int and session_no = any(:sessionNos::bigint[])
) as money
order by at desc, kind, id desc
limit :limit::int

-- MRR of each subscription of site $1 by the ledger; those at 0 left out.
select subscription_id as "subscriptionId", currency, sum(amount_minor)::bigint as mrr
from mrr_movements
where site_no = $1::int
group by subscription_id, currency
having sum(amount_minor) <> 0

-- MRR of each subscription of site $1, summed from the ledger; subscriptions at 0 are absent.
select subscription_id as "subscriptionId", currency, sum(amount_minor)::bigint as mrr
from mrr_movements
where site_no = $1::int
group by subscription_id, currency
having sum(amount_minor) <> 0

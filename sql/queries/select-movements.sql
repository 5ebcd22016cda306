-- All MRR movements of subscription $2 of site $1.
select
  id,
  at,
  kind,
  currency,
  amount_minor as "amountMinor",
  visitor_no as "visitorNo",
  session_no as "sessionNo",
  session_at as "sessionAt"
from mrr_movements
where site_no = $1::int and subscription_id = $2::text

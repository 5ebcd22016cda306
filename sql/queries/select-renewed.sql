-- One row when invoice $2 of site $1 paid for a later cycle of its subscription $3.
select key
from lifecycle_events
where site_no = $1::int and subscription_id = $3::text and name = 'subscription_renewed' and key = $2::text

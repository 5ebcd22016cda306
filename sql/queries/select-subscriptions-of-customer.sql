select distinct subscription_id as "subscriptionId"
from processor_facts
where site_no = $1::int and customer_id = $2::text and subscription_id is not null

-- As list-explained-payments, of sessions that have a filtered hit with the value.
select listed.*
from (
  select
    {explained_payment}
  from filtered_payments as money
  left join payments on payments.site_no = :siteNo::int and payments.id = money.payment_id
  where money.currency = (select currency from params)
    and {wanted_payment}
    and money.session_no in (select session_no from filtered_hits where not is_service)
) as listed
cross join params
{newest_first}

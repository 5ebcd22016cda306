-- A page of the filtered payments that are wanted (`wanted`), the newest first. `afterAt` is after all times on the first page.
select listed.*
from (
  select
    {explained_payment}
  from filtered_payments as money
  left join payments on payments.site_no = :siteNo::int and payments.id = money.payment_id
  where money.currency = (select currency from params)
    and {wanted_payment}
) as listed
cross join params
{newest_first}

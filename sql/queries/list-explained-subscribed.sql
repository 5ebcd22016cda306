-- A page of the subscriptions or customers (`unit`) whose MRR before a time (`until`) is not 0, from the movements that the filters
-- keep; those first whose MRR changed last. `afterAt` is after all times on the first page.
select at, id, customer, amount
from (
  select max(at) as at, id, min(customer) as customer, sum(amount)::text as amount
  from (
    select
      filtered_movements.at,
      case (select unit from params)
        when 'customer' then coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id)
        else filtered_movements.subscription_id
      end as id,
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id) as customer,
      filtered_movements.amount_minor as amount
    from filtered_movements
    left join subscriptions
      on subscriptions.site_no = :siteNo::int
      and subscriptions.subscription_id = filtered_movements.subscription_id
    where filtered_movements.currency = (select currency from params)
      and filtered_movements.at < (select until[1] from params)
  ) as moved
  group by id
  having sum(amount) <> 0
) as listed
cross join params
{newest_first}

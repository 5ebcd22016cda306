-- A page of the changes of MRR of customers in a span of times (`span`), the newest first; as list-mrr-changes, of some kinds.
select at, id, kind, amount
from (
  select
    moved.at,
    moved.customer as id,
    coalesce(changes.kind, case when moved.amount > 0 then 'expansion' else 'contraction' end) as kind,
    moved.amount::text as amount
  from (
    select
      filtered_movements.site_no, filtered_movements.currency, filtered_movements.at,
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id) as customer,
      sum(filtered_movements.amount_minor) as amount
    from filtered_movements
    left join subscriptions
      on subscriptions.site_no = :siteNo::int
      and subscriptions.subscription_id = filtered_movements.subscription_id
    where filtered_movements.currency = (select currency from params)
      and filtered_movements.at >= (select span[1] from params) and filtered_movements.at < (select span[2] from params)
    group by 1, 2, 3, 4
  ) as moved
  left join mrr_changes as changes
    on changes.site_no = moved.site_no
    and changes.currency = moved.currency
    and changes.customer = moved.customer
    and changes.at = moved.at
  where moved.amount <> 0
    and coalesce(changes.kind, case when moved.amount > 0 then 'expansion' else 'contraction' end) = any((select kinds from params)::text[])
) as listed
cross join params
{newest_first}

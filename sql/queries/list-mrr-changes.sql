-- One page of the changes of MRR of customers in the range, the newest first; as sum-filtered-mrr-changes, one by one.
select
  moved.customer, moved.at, moved.amount::text as amount, customers.name, customers.email,
  coalesce(changes.kind, case when moved.amount > 0 then 'expansion' else 'contraction' end) as kind,
  count(*) over () as total
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
    and filtered_movements.at >= (select bounds[1] from params)
  group by 1, 2, 3, 4
) as moved
left join mrr_changes as changes
  on changes.site_no = moved.site_no
  and changes.currency = moved.currency
  and changes.customer = moved.customer
  and changes.at = moved.at
left join customers
  on customers.site_no = moved.site_no
  and customers.currency = moved.currency
  and customers.customer = moved.customer
where moved.amount <> 0
order by moved.at desc, moved.customer
limit (select "limit" from params)
offset (select "offset" from params)

-- Filtered movements by bucket and by the kind of the customer's change at their time. What the filters keep of a change is netted
-- first: a correction of it has the same time. Movements that cancel out without filters, but not under them, are an expansion or a
-- contraction.
select
  width_bucket(moved.at, (select bounds from params)) - 1 as bucket,
  coalesce(changes.kind, case when moved.amount > 0 then 'expansion' else 'contraction' end) as kind,
  sum(moved.amount)::text as amount,
  count(*) as changes
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
  group by 1, 2, 3, 4
) as moved
left join mrr_changes as changes
  on changes.site_no = moved.site_no
  and changes.currency = moved.currency
  and changes.customer = moved.customer
  and changes.at = moved.at
where moved.amount <> 0
group by 1, 2

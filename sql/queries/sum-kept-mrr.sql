-- MRR movements of customers of cohorts (:customers, each in that of :began) by the period of the movement (`came`; the first of them has
-- everything before it, too), up to :until. Periods are numbered from 1 and begin at :bounds.
select began, came, sum(amount_minor)::text as mrr
from (
  select member.began, greatest(member.began, width_bucket(movement.at, :bounds::timestamptz[])) as came, movement.amount_minor
  from unnest(:customers::text[], :began::int[]) as member (customer, began)
  join subscriptions
    on subscriptions.site_no = :siteNo::int and 'c:' || subscriptions.customer_id = member.customer
  join mrr_movements as movement
    on movement.site_no = :siteNo::int and movement.subscription_id = subscriptions.subscription_id
  where movement.currency = :currency::text and movement.at < :until::timestamptz
) as moved
group by began, came

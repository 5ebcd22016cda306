-- One page of the subscriptions that the filters, the search and the status keep. `sorted_by` is a number for every order.
select
  subscription_id as "subscriptionId", customer_id as "customerId", email, name, status,
  coalesce((state ->> 'isEnding')::boolean, false) as "isEnding", mrr_minor::text as mrr, started_at as "startedAt",
  ended_at as "endedAt", first_visit_at as "firstVisitAt", {first_visit_columns}
from (
  select
    *,
    case :sort::text
      when 'mrr' then mrr_minor
      when 'started' then extract(epoch from started_at)
      when 'ended' then extract(epoch from ended_at)
    end as sorted_by
  from ({wanted_subscriptions}) as wanted
) as subscriptions
order by
  case when :order::text = 'desc' then sorted_by end desc nulls last,
  case when :order::text = 'asc' then sorted_by end nulls last,
  subscription_id
limit :limit::bigint
offset :offset::bigint

-- One page of the subscriptions that the filters, the search and the status keep. `sorted_by` is a number for every order.
select
  subscription_id as "subscriptionId", customer_id as "customerId", email, name, status,
  coalesce((state ->> 'isEnding')::boolean, false) as "isEnding", mrr_minor::text as mrr, started_at as "startedAt",
  ended_at as "endedAt", first_visit_at as "firstVisitAt", channel, source, referrer, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, country, entry_path
from (
  select
    *,
    case (select sort from params)
      when 'mrr' then mrr_minor
      when 'started' then extract(epoch from started_at)
      when 'ended' then extract(epoch from ended_at)
    end as sorted_by
  from filtered_subscriptions
  where currency = (select currency from params)
    and (
      (select search from params) = ''
      or strpos(lower(concat_ws(' ',
        subscription_id, customer_id, case when (select "seesMail" from params) then email end, name
      )), (select search from params)) > 0
    )
    and (select status from params) in ('', status)
) as subscriptions
order by
  case when (select "order" from params) = 'desc' then sorted_by end desc nulls last,
  case when (select "order" from params) = 'asc' then sorted_by end nulls last,
  subscription_id
limit (select "limit" from params)
offset (select "offset" from params)

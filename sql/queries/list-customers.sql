-- One page of the customers that the filters, the search and the status keep. `sorted_by` is a number for every order.
select
  customer, email, name, payments, revenue_minor::text as revenue, mrr_minor::text as mrr, subscriptions,
  first_paid_at as "firstPaidAt", last_paid_at as "lastPaidAt", subscribed_at as "subscribedAt", first_visit_at as "firstVisitAt", channel, source, referrer, utm_source, utm_medium, utm_campaign, utm_content,
  utm_term, country, entry_path
from (
  select
    *,
    case (select sort from params)
      when 'revenue' then revenue_minor
      when 'payments' then payments
      when 'mrr' then mrr_minor
      when 'first_payment' then extract(epoch from first_paid_at)
      when 'last_payment' then extract(epoch from last_paid_at)
      when 'first_visit' then extract(epoch from first_visit_at)
    end as sorted_by
  from filtered_customers
  where currency = (select currency from params)
    and (
      (select search from params) = ''
      or strpos(lower(concat_ws(' ',
        case when (select "seesMail" from params) or customer not like 'e:%' then substr(customer, 3) end,
        case when (select "seesMail" from params) then email end,
        name
      )), (select search from params)) > 0
    )
    and (select status from params) in (
      '', case when mrr_minor > 0 then 'active' when subscribed_at is not null then 'churned' else 'one_time' end
    )
) as customers
order by
  case when (select "order" from params) = 'desc' then sorted_by end desc nulls last,
  case when (select "order" from params) = 'asc' then sorted_by end nulls last,
  customer
limit (select "limit" from params)
offset (select "offset" from params)

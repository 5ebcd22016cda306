-- What payments in `asked.currency` come to of the sessions that have a kept hit with each of `asked.values`.
select value, sum(amount_minor - refunded_minor)::text as revenue
from kept_payments
join (
  select value, session_no
  from kept_hits
  where value = any((select "values" from asked)::text[]) and not is_service
  group by 1, 2
) as hit using (session_no)
where currency = (select currency from asked)
group by value

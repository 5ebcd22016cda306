-- Revenue in `asked.currency` of the sessions that have a filtered hit with the value, one row for each of `asked.values`.
select value, sum(amount_minor - refunded_minor)::text as revenue
from filtered_payments
join (
  select value, session_no
  from filtered_hits
  where value = any((select "values" from asked)::text[]) and not is_service
  group by 1, 2
) as hit using (session_no)
where currency = (select currency from asked)
group by value

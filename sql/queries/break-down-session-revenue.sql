-- Revenue in `asked.currency` by the value that a dimension of sessions has, for `asked.values`.
select value, sum(amount_minor - refunded_minor)::text as revenue
from filtered_payments
where currency = (select currency from asked) and value = any((select "values" from asked)::text[])
group by value

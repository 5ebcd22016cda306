-- What payments in `asked.currency` come to by their session's value of a dimension, for `asked.values`.
select value, sum(amount_minor - refunded_minor)::text as revenue
from kept_payments
where currency = (select currency from asked) and value = any((select "values" from asked)::text[])
group by value

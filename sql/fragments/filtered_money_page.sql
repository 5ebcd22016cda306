-- Order and page that `params` asks for, after `money_of_values`.
order by
  case (select sort from params)
    when 'revenue' then coalesce(revenue, 0)
    when 'payments' then coalesce(payments, 0)
    when 'customers' then coalesce(customers, 0)
    when 'new_customers' then coalesce(new_customers, 0)
    when 'mrr' then coalesce(mrr, 0)
  end desc,
  coalesce(revenue, 0) desc,
  value
limit (select "limit" from params)
offset (select "offset" from params)

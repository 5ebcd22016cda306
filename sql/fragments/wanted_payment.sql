case (select wanted from params)
  when 'first' then money.is_first_of_customer
  else money.refunded_minor < money.amount_minor and (money.is_recurring or (select wanted from params) <> 'recurring')
end

-- A page of the payments that count, the newest first: those of sessions (:sessionNos, 0 for none) at :times, all between :first and :last.
-- :wanted says which of them. :afterAt is after all times on the first page.
select
  money.at,
  money.payment_id::text as id,
  payments.transaction_id as "transactionId",
  payments.customer,
  money.session_no as "sessionNo",
  money.session_at as "sessionAt",
  (money.amount_minor - money.refunded_minor)::text as amount,
  money.is_recurring as "isRecurring",
  money.is_first_of_customer as "isFirst",
  money.refunded_minor < money.amount_minor as "isKept"
from unnest(:times::timestamptz[], :sessionNos::bigint[]) as counted (at, session_no)
join revenue as money
  on money.site_no = :siteNo::int and money.at = counted.at and coalesce(money.session_no, 0) = counted.session_no
  and money.at >= :first::timestamptz and money.at <= :last::timestamptz
left join payments on payments.site_no = :siteNo::int and payments.id = money.payment_id
where money.currency = :currency::text
  and case :wanted::text
    when 'first' then money.is_first_of_customer
    else money.refunded_minor < money.amount_minor and (money.is_recurring or :wanted::text <> 'recurring')
  end
  and (money.at, money.payment_id::text collate "C") < ((:afterAt::timestamptz[])[1], :afterId::text collate "C")
order by money.at desc, money.payment_id::text collate "C" desc
limit :limit::bigint

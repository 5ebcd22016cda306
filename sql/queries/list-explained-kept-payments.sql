-- A page of the payments of site :siteNo in [:start, :end) whose session has :value in :column, the newest first. The session is the
-- kept one, as in sum-revenue-by-kept-value: it outlives the session itself. :afterAt is empty on the first page.
select *
from (
  select
    money.at,
    money.payment_id::text as id,
    payments.transaction_id as "transactionId",
    payments.customer,
    money.session_no as "sessionNo",
    money.session_at as "sessionAt",
    (money.amount_minor - money.refunded_minor)::text as paid,
    money.is_recurring as "isRecurring",
    money.is_first_of_customer as "isFirst",
    money.refunded_minor < money.amount_minor as "isKept"
  from revenue as money
  left join payments on payments.id = money.payment_id
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
    and coalesce(money_sessions.session ->> :column::text, '') = :value::text
    and case :wanted::text
      when 'first' then money.is_first_of_customer
      else money.refunded_minor < money.amount_minor and (money.is_recurring or :wanted::text <> 'recurring')
    end
) as listed
where :afterAt::text = '' or (at, id collate "C") < (nullif(:afterAt::text, '')::timestamptz, :afterId::text collate "C")
order by at desc, id collate "C" desc
limit :limit::bigint

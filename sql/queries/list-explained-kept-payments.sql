-- A page of the payments of site :siteNo in [:start, :end) whose session has :value in :column, the newest first. The session is the
-- kept one, as in sum-revenue-by-kept-value: it outlives the session itself. :afterAt is after all times on the first page.
select *
from (
  select
    {explained_payment}
  from revenue as money
  left join payments on payments.site_no = :siteNo::int and payments.id = money.payment_id
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
where (at, id collate "C") < ((:afterAt::timestamptz[])[1], :afterId::text collate "C")
order by at desc, id collate "C" desc
limit :limit::bigint

-- A page of the movements of site :siteNo in [:start, :end) whose session has :value in :column, the newest first. The session is the
-- kept one, as in sum-revenue-by-kept-value: it outlives the session itself. :afterAt is empty on the first page.
select *
from (
  select
    money.at,
    money.id::text as id,
    money.subscription_id as "subscriptionId",
    money.kind,
    money.session_no as "sessionNo",
    money.session_at as "sessionAt",
    money.amount_minor::text as amount
  from mrr_movements as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
    and coalesce(money_sessions.session ->> :column::text, '') = :value::text
) as listed
where :afterAt::text = '' or (at, id collate "C") < (nullif(:afterAt::text, '')::timestamptz, :afterId::text collate "C")
order by at desc, id collate "C" desc
limit :limit::bigint

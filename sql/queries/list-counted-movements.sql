-- A page of the MRR movements that count, the newest first; as list-counted-payments.
select
  money.at,
  money.id::text as id,
  money.subscription_id as "subscriptionId",
  money.kind,
  money.session_no as "sessionNo",
  money.session_at as "sessionAt",
  money.amount_minor::text as amount
from unnest(:times::timestamptz[], :sessionNos::bigint[]) as counted (at, session_no)
join mrr_movements as money
  on money.site_no = :siteNo::int and money.at = counted.at and coalesce(money.session_no, 0) = counted.session_no
  and money.at >= :first::timestamptz and money.at <= :last::timestamptz
where money.currency = :currency::text
  and (money.at, money.id::text collate "C") < ((:afterAt::timestamptz[])[1], :afterId::text collate "C")
order by money.at desc, money.id::text collate "C" desc
limit :limit::bigint

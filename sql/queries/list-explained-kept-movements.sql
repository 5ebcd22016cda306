-- A page of the movements of site :siteNo in [:start, :end) whose session has :value in :column, the newest first. The session is the
-- kept one, as in sum-revenue-by-kept-value: it outlives the session itself. :afterAt is after all times on the first page.
select *
from (
  select
    {explained_movement}
  from mrr_movements as money
  left join money_sessions
    on money_sessions.site_no = :siteNo::int and money_sessions.session_no = money.session_no
  where money.site_no = :siteNo::int and money.currency = :currency::text
    and money.at >= :start::timestamptz and money.at < :end::timestamptz
    and coalesce(money_sessions.session ->> :column::text, '') = :value::text
) as listed
where (at, id collate "C") < ((:afterAt::timestamptz[])[1], :afterId::text collate "C")
order by at desc, id collate "C" desc
limit :limit::bigint

-- Money of site :siteNo in [:start, :end) and in currency :currency by the session that it is attributed to, as JSON arrays in the
-- order of the session numbers: minor units as text, null where a session has none of the kind.
select
  json_agg(session_no) as "sessionNos",
  json_agg(revenue::text) as revenue,
  json_agg(mrr::text) as mrr
from (
  select session_no, sum(revenue) as revenue, sum(mrr) as mrr
  from (
    select session_no, amount_minor - refunded_minor as revenue, null::bigint as mrr
    from revenue
    where site_no = :siteNo::int and currency = :currency::text
      and at >= :start::timestamptz and at < :end::timestamptz and session_no is not null
    union all
    select session_no, null, amount_minor
    from mrr_movements
    where site_no = :siteNo::int and currency = :currency::text
      and at >= :start::timestamptz and at < :end::timestamptz and session_no is not null
  ) as money
  group by session_no
  order by session_no
) as summed

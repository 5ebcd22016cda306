-- Pageviews by their deepest scroll; null where they have no engagement. Of several pageviews of a session at one moment, the one
-- with the highest id has the engagement, whether it matches the filters or not.
-- twiceMedianMs: of all pageviews with engagement, the same in every row; times: array_send bytes of the engaged times, on demand.
with moments as materialized (
  select
    pageviews,
    case when newest like '%false' then null else scroll end as scroll,
    engaged_ms
  from (
    select
      count(*) filter (where matches) as pageviews,
      max(id_and_match) as newest,
      max(scroll) as scroll,
      sum(engaged_ms) as engaged_ms
    from page_reads
    group by session_no, moment
  ) as read
  where pageviews > 0
)
select
  scroll::int as scroll,
  sum(pageviews)::bigint as pageviews,
  count(*) as engaged,
  (
    select 2 * percentile_cont(0.5) within group (order by engaged_ms::float8)
    from moments
    where scroll is not null and (select "isSliced" from params) = 0
  ) as "twiceMedianMs",
  case
    when (select "isSliced" from params) = 1 and scroll is not null then array_send(array_agg(engaged_ms::bigint))
  end as times
from moments
group by scroll

-- Pageviews, events and engagement of the sessions of site :siteNo that started in [:from, :to); their hits lie in [:earliest, :latest). A
-- JSON array for each column, all in the order of time and id. values: a JSON array for each dimension of hits. All are null without hits.
select
  json_agg(session_no) as "sessionNos",
  json_agg((extract(epoch from at) * 1000)::bigint) as at,
  json_agg(type) as types,
  json_build_array({hit_dimension_arrays}) as "values",
  json_agg((extract(epoch from page_at) * 1000)::bigint) as "pageAt",
  json_agg(scroll) as scroll,
  json_agg(engaged_ms) as "engagedMs",
  json_agg(revenue_minor::text) as revenue,
  json_agg(revenue_currency) as currencies,
  json_agg(error_id) as errors,
  json_agg(props) as properties
from (
  select
    session_no, at, type, {rolled_up_hit_columns}, page_at, scroll, engaged_ms, revenue_minor, revenue_currency,
    error_id, props
  from events
  where site_no = :siteNo::int and at >= :earliest::timestamptz and at < :latest::timestamptz
    and session_at >= :from::timestamptz and session_at < :to::timestamptz
    and type <> 'identify' and not is_service
  order by at, id
) as hit

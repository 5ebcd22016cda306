-- Sessions of site :siteNo that started in [:from, :to), and there in [:start, :end) unless they are among :others: a JSON array for each
-- column, all in the order of the session numbers.
-- attributes: a JSON array of values for each dimension of {rolled_up_start_names}, in that order.
select
  json_agg(session_no) as "sessionNos",
  json_agg(visitor_no) as "visitorNos",
  json_agg((extract(epoch from started_at) * 1000)::bigint) as "startedAt",
  json_agg(pageviews) as pageviews,
  json_agg(duration_ms) as "durationMs",
  json_build_array({session_column_arrays}) as attributes
from (
  select session_no, visitor_no, started_at, pageviews, duration_ms, {rolled_up_start_columns}
  from sessions
  where site_no = :siteNo::int and started_at >= :from::timestamptz and started_at < :to::timestamptz
    and (started_at >= :start::timestamptz and started_at < :end::timestamptz or session_no in (select unnest(:others::bigint[])))
  order by session_no
) as session

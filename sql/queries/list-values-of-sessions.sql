-- What the sessions of site :siteNo that started in [:from, :to) saw of each value of the dimensions of hits: a row for each dimension,
-- with a JSON array for each column. hits, pageviews, customEvents, lastAt (Unix milliseconds): of hits in [:start, :end). Of sessions that
-- started there, with all their hits: isSeen, and engagedMs and scroll, −1 without engagement and without a scroll depth.
select
  dimension,
  json_agg(value) as "values",
  json_agg(session_no) as "sessionNos",
  json_agg(hits) as hits,
  json_agg(pageviews) as pageviews,
  json_agg(custom_events) as "customEvents",
  json_agg(coalesce((extract(epoch from last_at) * 1000)::bigint, 0)) as "lastAt",
  json_agg(is_seen::int) as "isSeen",
  json_agg(case when is_engaged then coalesce(engaged_ms, 0) else -1 end) as "engagedMs",
  json_agg(case when is_engaged then coalesce(scroll, -1) else -1 end) as scroll
from (
  select
    dimension,
    value,
    session_no,
    count(*) filter (where is_counted) as hits,
    count(*) filter (where is_counted and type = 'pageview') as pageviews,
    count(*) filter (where is_counted and type = 'event') as custom_events,
    max(at) filter (where is_counted) as last_at,
    coalesce(bool_or(is_of_start and type <> 'engagement'), false) as is_seen,
    coalesce(bool_or(is_of_start and type = 'engagement'), false) as is_engaged,
    sum(engaged_ms) filter (where is_of_start and type = 'engagement')::bigint as engaged_ms,
    max(scroll) filter (where is_of_start and type = 'engagement') as scroll
  from (
    select
      session_no,
      asked.dimension,
      (case asked.dimension {rolled_up_hit_choice} end) collate "C" as value,
      type,
      at,
      engaged_ms,
      scroll,
      is_counted,
      is_of_start
    from (
      select
        session_no, {rolled_up_hit_columns}, type, at, engaged_ms, scroll,
        at >= :start::timestamptz and at < :end::timestamptz and type <> 'engagement' as is_counted,
        session_at >= :start::timestamptz and session_at < :end::timestamptz as is_of_start
      from events
      where site_no = :siteNo::int and at >= :earliest::timestamptz and at < :latest::timestamptz
        and session_at >= :from::timestamptz and session_at < :to::timestamptz
        and type <> 'identify' and not is_service
      offset 0
    ) as hit
    cross join unnest(:dimensions::text[]) as asked (dimension)
    where (is_counted or is_of_start) and (type <> 'engagement' or asked.dimension in ('path', 'title'))
  ) as counted
  group by dimension, value, session_no
) as seen
where hits > 0 or is_seen
group by dimension

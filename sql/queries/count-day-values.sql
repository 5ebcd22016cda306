-- Counts of a day, [:start, :end), for each value of the dimensions :dimensions. A value may have several rows: the caller adds them up.
-- Counted by time: hits of the day. Counted by start: the sessions that started on it, with all their hits.
-- A dimension is one of hits or of sessions, `hour_of_week`, `error`, `property/{type}/{name}`, or `property` for all properties.
-- :offsets, :offsetStarts: seconds that the site's clocks are ahead of UTC, and from when on, ascending.
-- visitors: array_send bytes of visitor_no; a visitor may occur more than once.
-- Sessions and their hits are not joined: the rows of both are sorted by session. The plan of a join depended on estimates, and
-- on rows without statistics it compared each row with each: 57 s for a day of 33,000 hits and 10,000 sessions.
with
chosen as materialized (
  select session_no, visitor_no, started_at, first_at, last_at, pageviews, events, duration_ms, {rolled_up_start_columns}
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
),
-- Time bounds of the chosen sessions, and of these together with the hits that are counted by time.
extent as materialized (
  select
    min(first_at) as first_at,
    max(last_at) as last_at,
    least(:start::timestamptz, min(first_at)) as earliest,
    greatest(:end::timestamptz, max(last_at)) as latest
  from chosen
),
-- Counts for each session and value of the dimensions of hits, and one more row for each chosen session, with its pageviews and
-- duration and without a dimension.
seen as (
  select
    session_no,
    visitor_no,
    dimension,
    value,
    max(pageviews_of_session) as pageviews_of_session,
    max(duration_of_session) as duration_of_session,
    count(*) filter (where is_counted) as hits,
    count(*) filter (where is_counted and type = 'pageview') as pageviews,
    count(*) filter (where is_counted and type = 'event') as custom_events,
    min(at) filter (where is_counted and dimension = 'error') as first_at,
    max(at) filter (where is_counted and dimension in ('title', 'error')) as last_at,
    bool_or(type <> 'engagement') filter (where is_of_start) as is_seen,
    bool_or(type = 'engagement') filter (where is_of_start) as is_engaged,
    sum(engaged_ms) filter (where is_of_start and type = 'engagement') as engaged_ms,
    max(scroll) filter (where is_of_start and type = 'engagement') as deepest_scroll
  from (
    select
      session_no,
      visitor_no,
      asked.dimension,
      (case asked.dimension {rolled_up_hit_choice} when 'error' then error_id::text end) collate "C" as value,
      null::integer as pageviews_of_session,
      null::bigint as duration_of_session,
      type,
      at,
      engaged_ms,
      scroll,
      is_counted,
      is_of_start
    from (
      select
        session_no, visitor_no, {rolled_up_hit_columns}, error_id, type, at, engaged_ms, scroll,
        at >= :start::timestamptz and at < :end::timestamptz and type <> 'engagement' as is_counted,
        session_at >= :start::timestamptz and session_at < :end::timestamptz
          and at >= (select first_at from extent) and at <= (select last_at from extent) as is_of_start
      from events
      where :dimensions::text[] && {rolled_up_hit_names}
        and site_no = :siteNo::int
        and at >= (select earliest from extent) and at <= (select latest from extent)
        and type <> 'identify' and not is_service
      -- Without "offset 0", PostgreSQL computes the two flags again for each dimension.
      offset 0
    ) as hit
    cross join unnest(:dimensions::text[]) as asked (dimension)
    where asked.dimension = any({rolled_up_hit_names})
      and (is_counted or is_of_start)
      and (type <> 'engagement' or asked.dimension in ('path', 'title'))
      and (asked.dimension <> 'error' or type = 'error' and error_id is not null)
    union all
    select session_no, null, null, null, pageviews, duration_ms, null, null, null, null, false, false
    from chosen
    where :dimensions::text[] && {rolled_up_hit_names}
  ) as either
  group by session_no, visitor_no, dimension, value
),
-- Hits grouped by session and its dimensions: fewer rows than hits.
visit as (
  select
    session_no, visitor_no, {rolled_up_session_columns},
    count(*) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event') as custom_events
  from events
  where :dimensions::text[] && {rolled_up_session_names}
    and site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type not in ('engagement', 'identify') and not is_service
  group by session_no, visitor_no, {rolled_up_session_columns}
),
-- The same without the dimensions, by hour of the week. Two scans are faster than one whose wide rows are kept for several uses.
hour_of_visit as materialized (
  select
    session_no, visitor_no, hour,
    min(session_at) as session_at,
    count(*) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event') as custom_events
  from (
    select
      session_no, visitor_no, session_at, type,
      case when 'hour_of_week' = any(:dimensions::text[]) then {hour_of_hit} end as hour
    from events
    where :dimensions::text[] && ({rolled_up_row_names} || '{hour_of_week}'::text[])
      and site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
      and type not in ('engagement', 'identify') and not is_service
  ) as hit
  group by session_no, visitor_no, hour
),
-- Rows of the sessions of these hits, for dimensions that hits do not have.
visited_session as (
  select session_no, {rolled_up_row_columns}
  from sessions
  where :dimensions::text[] && {rolled_up_row_names}
    and site_no = :siteNo::int
    and started_at >= (select min(session_at) from hour_of_visit) and started_at <= (select max(session_at) from hour_of_visit)
)
select
  dimension,
  value,
  sum(hits)::bigint as hits,
  sum(pageviews)::bigint as pageviews,
  sum(custom_events)::bigint as "customEvents",
  array_send(array_agg(visitor_no) filter (where hits > 0)) as visitors,
  count(*) filter (where is_seen) as sessions,
  count(*) filter (where is_seen and pageviews_of_session = 1) as bounces,
  coalesce(sum(engaged_ms) filter (where is_seen), 0)::float8 as "engagedMs",
  count(*) filter (where is_seen and is_engaged) as "engagedSessions",
  coalesce((extract(epoch from max(last_at)) * 1000)::bigint, 0) as "lastAt",
  coalesce(sum(duration_of_session) filter (where is_seen), 0)::float8 as "durationMs",
  coalesce(sum(deepest_scroll) filter (where is_seen), 0)::bigint as "scrollSum",
  count(deepest_scroll) filter (where is_seen) as "scrolledSessions",
  (extract(epoch from min(first_at)) * 1000)::bigint as "firstAt"
from (
  select
    dimension, value, visitor_no, hits, pageviews, custom_events, first_at, last_at, is_engaged, engaged_ms, deepest_scroll,
    is_seen and max(pageviews_of_session) over of_session is not null as is_seen,
    max(pageviews_of_session) over of_session as pageviews_of_session,
    max(duration_of_session) over of_session as duration_of_session
  from seen
  window of_session as (partition by session_no)
) as seen_by_session
where dimension is not null
group by 1, 2
having sum(hits) > 0 or bool_or(is_seen)
union all
select
  dimension, value, sum(hits)::bigint, sum(pageviews)::bigint, sum(custom_events)::bigint, array_send(array_agg(visitor_no)),
  0, 0, 0, 0, 0, 0, 0, 0, null
from (
  select
    asked.dimension,
    case asked.dimension {rolled_up_session_choice} end as value,
    visitor_no,
    hits,
    pageviews,
    custom_events
  from visit
  cross join unnest(:dimensions::text[]) as asked (dimension)
  where asked.dimension = any({rolled_up_session_names})
) as visited
group by 1, 2
union all
select
  'hour_of_week', {hour_text}, sum(hits)::bigint, sum(pageviews)::bigint, sum(custom_events)::bigint, array_send(array_agg(visitor_no)),
  0, 0, 0, 0, 0, 0, 0, 0, null
from hour_of_visit
where hour is not null
group by hour
union all
select
  dimension, value, sum(hits)::bigint, sum(pageviews)::bigint, sum(custom_events)::bigint, array_send(array_agg(visitor_no)),
  0, 0, 0, 0, 0, 0, 0, 0, null
from (
  select attribute.dimension, coalesce(attribute.value, '') as value, visitor_no, hits, pageviews, custom_events
  from (
    select visitor_no, hits, pageviews, custom_events, max(attributes) over (partition by session_no) as attributes
    from (
      select session_no, visitor_no, hits, pageviews, custom_events, null::text[] as attributes from hour_of_visit
      union all
      select session_no, null, null, null, null, array[{rolled_up_row_columns}] from visited_session
    ) as either
  ) as of_session
  cross join lateral unnest({rolled_up_row_names}, attributes) as attribute (dimension, value)
  where hits is not null and attribute.dimension = any(:dimensions::text[])
) as attributed
group by 1, 2
union all
select
  dimension,
  jsonb_build_array(key, value)::text,
  sum(hits)::bigint,
  0,
  0,
  array_send(array_agg(visitor_no)),
  0, 0, 0, 0, 0, 0, 0, 0, null
from (
  select
    'property/' || type || '/' || name as dimension,
    property.key,
    property.value,
    visitor_no,
    count(*) as hits
  from events
  cross join lateral jsonb_each_text(props) as property
  where (select bool_or(dimension like 'property%') from unnest(:dimensions::text[]) as asked (dimension))
    and site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type not in ('pageview', 'engagement', 'identify') and not is_service
    and ('property' = any(:dimensions::text[]) or 'property/' || type || '/' || name = any(:dimensions::text[]))
  group by 1, 2, 3, 4
) as carried
group by dimension, key, value
union all
select
  dimension, value, 0, 0, 0, null, count(*), count(*) filter (where pageviews = 1), 0, 0, 0, sum(duration_ms)::float8, 0, 0, null
from (
  select
    asked.dimension,
    case asked.dimension {rolled_up_start_choice} end as value,
    pageviews,
    duration_ms
  from chosen
  cross join unnest(:dimensions::text[]) as asked (dimension)
  where asked.dimension = any({rolled_up_start_names})
) as started
group by 1, 2
union all
select
  'hour_of_week', {hour_text}, 0, 0, 0, null, count(*), count(*) filter (where pageviews = 1), 0, 0, 0,
  sum(duration_ms)::float8, 0, 0, null
from (
  select {hour_of_start} as hour, pageviews, duration_ms
  from chosen
  where 'hour_of_week' = any(:dimensions::text[])
) as began
group by hour
union all
-- Of a dimension of the session's end, hits and visitors are those of the sessions.
select
  dimension, value, sum(pageviews + events)::bigint, sum(pageviews)::bigint, 0, array_send(array_agg(visitor_no)),
  count(*), count(*) filter (where pageviews = 1), 0, 0, 0, sum(duration_ms)::float8, 0, 0, null
from (
  select
    asked.dimension,
    case asked.dimension {rolled_up_end_choice} end as value,
    visitor_no,
    pageviews,
    events,
    duration_ms
  from chosen
  cross join unnest(:dimensions::text[]) as asked (dimension)
  where asked.dimension = any({rolled_up_end_names})
) as ended
group by 1, 2

-- One page of titles, with the total number of titles; one row with nulls where the page is empty.
-- A session counts once for a title, in the range in which it started. Sessions are aggregated into an array for each title and
-- made distinct within it: a hash of all pairs of title and session takes more than twice as long.
with counted as (
  select
    title,
    count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
    max(at) filter (where in_filtered_hits) as last_at,
    array_agg(session_no) filter (where in_session_hits) as session_nos,
    array_agg(session_no) filter (where in_engagements) as engaged_session_nos,
    array_agg(engaged_ms) filter (where in_engagements) as engaged_ms
  from matching_rows
  where title <> '' and not is_service
  group by title
),
numbered as materialized (
  select counted.*, row_number() over (order by coalesce(cardinality(session_nos), 0) desc) as position
  from counted
  where pageviews > 0 or session_nos is not null
),
-- A title has at most as many sessions as session hits. The titles with the most hits give a lower bound for the sessions of a
-- title on the page; of the other titles, only those that can reach it are counted.
likely as materialized (
  select *, (select count(distinct session_no) from unnest(session_nos) as session_no) as sessions
  from numbered
  where position <= (select "limit" + "offset" from params)
),
ranked as (
  select * from likely
  union all
  select *, (select count(distinct session_no) from unnest(session_nos) as session_no)
  from numbered
  where
    position > (select "limit" + "offset" from params)
    and coalesce(cardinality(session_nos), 0) >= (select min(sessions) from likely)
),
page as materialized (
  select *
  from ranked
  order by sessions desc, pageviews desc, title collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
),
bounced as (
  select title, count(distinct session_no) as bounces
  from (select title, unnest(session_nos) as session_no from page) as session
  join (select session_no from filtered_sessions where pageviews = 1) as single using (session_no)
  group by title
),
-- Leaves out engagement of sessions whose hits on the title do not match the filters.
engaged as (
  select title, measured.*
  from page
  cross join lateral (
    select sum(milliseconds)::float8 as milliseconds, count(distinct session_no) as sessions
    from unnest(engaged_session_nos, engaged_ms) as engagement (session_no, milliseconds)
    where session_no in (select unnest(session_nos))
  ) as measured
)
select
  total.total,
  title as value,
  pageviews,
  page.sessions,
  coalesce(bounces, 0) as bounces,
  coalesce((extract(epoch from last_at) * 1000)::bigint, 0) as "lastAt",
  coalesce(engaged.milliseconds, 0) as "engagedMs",
  coalesce(engaged.sessions, 0) as "engagedSessions"
from (select count(*) as total from numbered) as total
left join page on true
left join bounced using (title)
left join engaged using (title)
order by page.sessions desc, pageviews desc, title collate "C"

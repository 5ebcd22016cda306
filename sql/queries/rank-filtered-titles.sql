-- One page of titles, with the total number of titles; one row with nulls where the page is empty.
-- A session counts once for a title, in the range in which it started. Sessions are aggregated into an array for each title and
-- made distinct within it: a hash of all pairs of title and session takes more than twice as long.
with met as (
  select
    title,
    count(*) filter (where type = 'pageview' and is_kept) as pageviews,
    max(at) filter (where is_kept) as last_at,
    array_agg(session_no) filter (where is_seen) as seen_by,
    array_agg(session_no) filter (where is_engaged) as engaged,
    array_agg(engaged_ms) filter (where is_engaged) as engaged_ms
  from matching_rows
  where title <> '' and not is_service
  group by title
),
placed as materialized (
  select met.*, row_number() over (order by coalesce(cardinality(seen_by), 0) desc) as place
  from met
  where pageviews > 0 or seen_by is not null
),
-- A title has at most as many sessions as session hits. The titles with the most hits give a lower bound for the sessions of a
-- title on the page; of the other titles, only those that can reach it are counted.
likely as materialized (
  select *, (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
  from placed
  where place <= (select "limit" + "offset" from asked)
),
ranked as (
  select * from likely
  union all
  select *, (select count(distinct session_no) from unnest(seen_by) as session_no)
  from placed
  where
    place > (select "limit" + "offset" from asked)
    and coalesce(cardinality(seen_by), 0) >= (select min(sessions) from likely)
),
page as materialized (
  select *
  from ranked
  order by sessions desc, pageviews desc, title collate "C"
  limit (select "limit" from asked)
  offset (select "offset" from asked)
),
bounced as (
  select title, count(distinct session_no) as bounces
  from (select title, unnest(seen_by) as session_no from page) as seen
  join (select session_no from filtered_sessions where pageviews = 1) as single using (session_no)
  group by title
),
-- Leaves out engagement of sessions whose hits on the title do not match the filters.
engaged as (
  select title, measured.*
  from page
  cross join lateral (
    select sum(milliseconds)::float8 as milliseconds, count(distinct session_no) as sessions
    from unnest(engaged, engaged_ms) as engagement (session_no, milliseconds)
    where session_no in (select unnest(seen_by))
  ) as measured
)
select
  counted.total,
  title,
  pageviews,
  page.sessions,
  coalesce(bounces, 0) as bounces,
  last_at as "lastAt",
  coalesce(engaged.milliseconds, 0) as "engagedMs",
  coalesce(engaged.sessions, 0) as "engagedSessions"
from (select count(*) as total from placed) as counted
left join page on true
left join bounced using (title)
left join engaged using (title)
order by page.sessions desc, pageviews desc, title collate "C"

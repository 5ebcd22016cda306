-- One page of the values of a dimension of hits, with the total number of values; one row with nulls where the page is empty.
with parts as materialized (
  select value, pageviews, visitor_nos, session_nos, engaged_session_nos, engaged_times, scrolls from value_parts
),
numbered as materialized (
  select
    value,
    sum(pageviews)::bigint as pageviews,
    sum(coalesce(cardinality(visitor_nos), 0)) as hits,
    row_number() over (order by sum(coalesce(cardinality(visitor_nos), 0)) desc) as position
  from parts
  group by value
  having count(visitor_nos) + count(session_nos) > 0
),
-- A value has at most as many visitors as hits. The values with the most hits give a lower bound for the visitors of a value on the
-- page; of the others, only those that can reach it are counted.
likely as materialized (
  select position, count(visitor_no) as visitors
  from (
    select distinct position, unnest(coalesce(visitor_nos, '{null}')) as visitor_no
    from numbered
    join parts using (value)
    where position <= (select "limit" + "offset" from params)
  ) as visitor
  group by position
),
ranked as materialized (
  select * from likely
  union all
  select position, count(visitor_no)
  from (
    select distinct position, unnest(coalesce(visitor_nos, '{null}')) as visitor_no
    from numbered
    join parts using (value)
    where position > (select "limit" + "offset" from params) and hits >= (select min(visitors) from likely)
  ) as visitor
  group by position
),
-- Sessions decide between values with as many visitors as the last one of the page.
candidates as materialized (
  select position, value, pageviews, visitors
  from ranked
  join numbered using (position)
  where visitors >= (
    select min(visitors)
    from (select visitors from ranked order by visitors desc limit (select "limit" + "offset" from params)) as first
  )
),
-- What the sessions have that saw each of `candidates`. Leaves out engagement of sessions whose hits on the value do not match.
-- By number of the value instead of its text: sorting 140,000 texts takes longer than counting them.
candidate_parts as materialized (
  select position, session_nos, engaged_session_nos, engaged_times, scrolls
  from candidates
  join parts using (value)
),
seen as (
  select
    position,
    count(*) as sessions,
    count(*) filter (where started.pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs",
    coalesce(sum(engaged_ms), 0)::float8 as "engagedMs",
    count(*) filter (where is_engaged) as "engagedSessions",
    coalesce(sum(scroll), 0)::bigint as "scrollSum",
    count(scroll) as "scrolledSessions"
  from (
    select
      position,
      session_no,
      sum(engaged_ms) as engaged_ms,
      max(scroll) as scroll,
      bool_or(is_engagement) as is_engaged
    from (
      select
        position,
        unnest(session_nos) as session_no,
        null::bigint as engaged_ms,
        null::smallint as scroll,
        false as is_engagement
      from candidate_parts
      union all
      select position, unnest(engaged_session_nos), unnest(engaged_times), unnest(scrolls), true
      from candidate_parts
    ) as row
    group by position, session_no
    having not bool_and(is_engagement)
  ) as session
  left join (select session_no, pageviews, duration_ms from filtered_sessions) as started using (session_no)
  group by position
),
page as (
  select
    value,
    visitors,
    pageviews,
    coalesce(sessions, 0) as sessions,
    coalesce(bounces, 0) as bounces,
    coalesce("durationMs", 0) as "durationMs",
    coalesce("engagedMs", 0) as "engagedMs",
    coalesce("engagedSessions", 0) as "engagedSessions",
    coalesce("scrollSum", 0) as "scrollSum",
    coalesce("scrolledSessions", 0) as "scrolledSessions"
  from candidates
  left join seen using (position)
  order by visitors desc, coalesce(sessions, 0) desc, value collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
)
select total.total, page.*
from (select count(*) as total from numbered) as total
left join page on true
order by visitors desc, sessions desc, value collate "C"

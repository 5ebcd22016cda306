-- A page of titles and how many there are; one row with nulls where the page is empty.
-- A session counts for a title once, where it started. By session first: a hash, not a sort for count(distinct).
with viewed as (
  select title, count(*) filter (where type = 'pageview') as pageviews
  from kept_hits
  where title <> '' and not is_service
  group by title
),
-- Materialised, or each parallel worker makes all of it for its share of the sessions.
pair as materialized (
  select title, session_no
  from seen_hits
  where title <> ''
  group by 1, 2
),
seen as (
  select title, count(*) as sessions, count(bounced.session_no) as bounces
  from pair
  left join (select session_no from kept_sessions where pageviews = 1) as bounced using (session_no)
  group by title
),
ranked as materialized (
  select
    title,
    coalesce(viewed.pageviews, 0) as pageviews,
    coalesce(seen.sessions, 0) as sessions,
    coalesce(seen.bounces, 0) as bounces
  from viewed
  full join seen using (title)
  where viewed.pageviews > 0 or seen.sessions > 0
)
select counted.total, page.*
from (select count(*) as total from ranked) as counted
left join lateral (
  select *
  from ranked
  order by sessions desc, pageviews desc, title collate "C"
  limit (select "limit" from asked)
  offset (select "offset" from asked)
) as page on true
order by page.sessions desc, page.pageviews desc, page.title collate "C"

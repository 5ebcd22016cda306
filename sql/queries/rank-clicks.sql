-- One page of what was clicked, with the number of all rows; one row with nulls where the page is empty.
-- Sessions and visitors are made distinct for the rows of the page alone: see rank-filtered-titles.sql.
with counted as materialized (
  select
    type,
    selector,
    target,
    count(*) as clicks,
    array_agg(session_no) as session_nos,
    array_agg(visitor_no) as visitor_nos
  from clicks
  group by type, selector, target
),
page as (
  select *
  from counted
  order by clicks desc, type collate "C", selector collate "C", target collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
)
select
  total.total,
  type,
  selector,
  target,
  page.clicks,
  (select count(distinct session_no) from unnest(session_nos) as session_no) as sessions,
  (select count(distinct visitor_no) from unnest(visitor_nos) as visitor_no) as visitors
from (select count(*) as total from counted) as total
left join page on true
order by page.clicks desc, type collate "C", selector collate "C", target collate "C"

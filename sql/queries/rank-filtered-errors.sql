-- One page of errors, with the total number of errors; one row with nulls where the page is empty.
with occurred as (
  -- By visitor first: a hash of visitors is cheaper than the sort of count(distinct).
  select error_id, sum(hits)::bigint as hits, count(visitor_no) as visitors
  from (
    select error_id, visitor_no, count(*) as hits
    from filtered_hits
    where type = 'error'
    group by 1, 2
  ) as visitor
  group by error_id
),
started as (
  select error_id, count(*) as sessions
  from (select error_id, session_no from session_hits where type = 'error' group by 1, 2) as pair
  group by error_id
),
ranked as materialized (
  select error_id as value, occurred.hits, coalesce(started.sessions, 0) as sessions, occurred.visitors
  from occurred
  left join started using (error_id)
)
select total.total, page.*
from (select count(*) as total from ranked) as total
left join lateral (
  select *
  from ranked
  order by hits desc, sessions desc, value
  limit (select "limit" from params)
  offset (select "offset" from params)
) as page on true
order by page.hits desc, page.sessions desc, page.value

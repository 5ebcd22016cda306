-- One page of errors, with the total number of errors; one row with nulls where the page is empty.
with occurred as (
  select error_id, count(*) as hits
  from filtered_hits
  where type = 'error'
  group by error_id
),
started as (
  select error_id, count(*) as sessions
  from (select error_id, session_no from session_hits where type = 'error' group by 1, 2) as pair
  group by error_id
),
ranked as materialized (
  select error_id as value, occurred.hits, coalesce(started.sessions, 0) as sessions
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

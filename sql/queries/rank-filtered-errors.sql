-- One page of errors, with the total number of errors; one row with nulls where the page is empty.
with occurred as (
  select error_id, count(*) as occurrences
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
  select error_id, occurred.occurrences, coalesce(started.sessions, 0) as sessions
  from occurred
  left join started using (error_id)
)
select counted.total, page.error_id as id, page.occurrences, page.sessions, known.message, known.name
from (select count(*) as total from ranked) as counted
left join lateral (
  select *
  from ranked
  order by occurrences desc, sessions desc, error_id
  limit (select "limit" from asked)
  offset (select "offset" from asked)
) as page on true
left join error_groups as known
  on known.site_no = (select site_no from asked) and known.error_id = page.error_id
order by page.occurrences desc, page.sessions desc, page.error_id

with hits as (
  select title, at, id, path, hostname, true as is_in_range
  from filtered_hits
  where not is_service
  union all
  select title, at, id, path, hostname, false
  from session_hits
),
newest as (
  select title, bool_or(is_in_range) as is_in_range, coalesce(max(at) filter (where is_in_range), max(at)) as at
  from hits
  group by title
)
select distinct on (title) title, path, hostname
from hits
join newest using (title, is_in_range, at)
order by title, id desc

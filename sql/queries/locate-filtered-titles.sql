-- Path and hostname of the latest hit of each title: of a hit in the range, otherwise of a hit through which a session counts.
with shown as (
  select title, at, id, path, hostname, true as is_kept
  from filtered_hits
  where not is_service
  union all
  select title, at, id, path, hostname, false
  from session_hits
),
newest as (
  select title, bool_or(is_kept) as is_kept, coalesce(max(at) filter (where is_kept), max(at)) as at
  from shown
  group by title
)
select distinct on (title) title, path, hostname
from shown
join newest using (title, is_kept, at)
order by title, id desc

-- Path and hostname of the latest hit of each title ($2) of site $1, whose time ($3) is known.
select asked.title, hit.path, hit.hostname
from unnest($2::text[], $3::timestamptz[]) as asked (title, at)
-- One index lookup by time for each title: a join would read all hits.
cross join lateral (
  select path, hostname
  from events
  where
    site_no = $1::int
    and at = asked.at
    and title = asked.title
    and type not in ('engagement', 'identify')
    and not is_service
  order by id desc
  limit 1
) as hit

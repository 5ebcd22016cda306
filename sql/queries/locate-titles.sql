-- Where each title ($2) of site $1 was seen by its latest hit, whose time ($3) is known.
select asked.title, hit.path, hit.hostname
from unnest($2::text[], $3::timestamptz[]) as asked (title, at)
-- One by one, by the time: a join of them would look through all hits.
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

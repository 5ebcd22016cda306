-- Where each title ($2) of site $1 was seen by its latest hit, whose time ($3) is known.
select distinct on (asked.title) asked.title, path, hostname
from unnest($2::text[], $3::timestamptz[]) as asked (title, at)
join events on
  events.site_no = $1::int
  and events.at = asked.at
  and events.title = asked.title
  and events.type not in ('engagement', 'identify')
  and not events.is_service
order by asked.title, events.id desc

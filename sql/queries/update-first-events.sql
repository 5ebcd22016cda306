-- Sets the time of a site's first event, or moves it back where a hit ($1 site_no, $2 time) is earlier.
update sites
set first_event_at = first.at
from (
  select site_no, at from unnest($1::int[], $2::timestamptz[]) as given (site_no, at) order by site_no
) as first
where sites.site_no = first.site_no and (sites.first_event_at is null or sites.first_event_at > first.at)

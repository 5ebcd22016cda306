-- What hits add to sessions that are there already, known by $1 site_no, $2 started_at, $3 session_no.
-- $10 and $11 bound the starts, so that only their chunks are looked at; $12 are the sites, each once, so that of the
-- columnstore only their segments are.
update sessions
set
  first_at = changed.first_at,
  last_at = changed.last_at,
  duration_ms = (extract(epoch from changed.last_at - changed.first_at) * 1000)::bigint,
  pageviews = changed.pageviews,
  events = changed.events,
  user_id = changed.user_id,
  user_since = changed.user_since
from unnest(
  $1::int[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::int[], $7::int[], $8::text[],
  $9::timestamptz[]
) as changed (site_no, started_at, session_no, first_at, last_at, pageviews, events, user_id, user_since)
where sessions.site_no = changed.site_no
  and sessions.started_at = changed.started_at
  and sessions.session_no = changed.session_no
  and sessions.site_no = any($12::int[])
  and sessions.started_at >= $10::timestamptz
  and sessions.started_at <= $11::timestamptz

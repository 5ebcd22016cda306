-- Attributes service event $3, at time $2, of site $1 to visitor $4 and session $5, which started at $6.
update events
set
  visitor_no = $4::int, session_no = session.session_no, session_at = session.started_at,
  entry_path = session.entry_path, referrer = session.referrer, source = session.source,
  channel = session.channel, utm_source = session.utm_source, utm_medium = session.utm_medium,
  utm_campaign = session.utm_campaign, utm_content = session.utm_content, utm_term = session.utm_term,
  browser = session.browser, os = session.os, size = session.size, country = session.country,
  region = session.region, city = session.city
from sessions as session
where events.site_no = $1::int
  and events.at = $2::timestamptz
  and events.id = $3::uuid
  and events.is_service
  and session.site_no = $1::int
  and session.started_at = $6::timestamptz
  and session.session_no = $5::bigint

-- Attributes a service event to a visitor and session.
update events
set
  visitor_no = :visitorNo::int, session_no = session.session_no, session_at = session.started_at,
  {copied_assignments}
from sessions as session
where events.site_no = :siteNo::int
  and events.at = :at::timestamptz
  and events.id = :id::uuid
  and events.is_service
  and session.site_no = :siteNo::int
  and session.started_at = :sessionAt::timestamptz
  and session.session_no = :sessionNo::bigint

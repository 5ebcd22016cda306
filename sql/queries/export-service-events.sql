-- Events that the service wrote for a person in [:start, :end), in order after the event :afterKey at :afterAt.
select id, at as timestamp, name as event_name, coalesce(props, '{}') as properties
from events
where site_no = :siteNo::int and is_service
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, id) > (:afterAt::timestamptz, :afterKey::uuid)
  and (
    visitor_no = :visitorNo::int
    or exists (
      select from sessions
      where sessions.site_no = :siteNo::int and sessions.started_at = events.session_at
        and sessions.session_no = events.session_no and sessions.user_id = nullif(:identifier::text, '')
    )
  )
order by at, id
limit :limit::int

-- Sessions of a person that started in [:start, :end), in order after the session :afterNo that started at :afterAt.
select
  visitor_no as "visitorNo",
  coalesce((select id::text from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = sessions.visitor_no), '') as visitor_id,
  session_no as session,
  started_at,
  first_at as first_hit_at,
  last_at as last_hit_at,
  pageviews,
  events,
  visit_count,
  user_id,
  user_since as identified_at,
  not exists (
    select from sessions as earlier
    where earlier.site_no = :siteNo::int and earlier.visitor_no = sessions.visitor_no
      and (earlier.visitor_no = :visitorNo::int or earlier.user_id = :identifier::text)
      and earlier.started_at <= sessions.started_at
      and (earlier.started_at, earlier.session_no) < (sessions.started_at, sessions.session_no)
  ) as "isFirstOfVisitor",
  not exists (
    select from sessions as earlier
    where earlier.site_no = :siteNo::int and earlier.visitor_no = sessions.visitor_no
      and earlier.user_id = sessions.user_id
      and earlier.started_at <= sessions.started_at
      and (earlier.started_at, earlier.session_no) < (sessions.started_at, sessions.session_no)
  ) as "isFirstOfUser",
  {session_attributes}
from sessions
where site_no = :siteNo::int
  and started_at >= :start::timestamptz and started_at < :end::timestamptz
  and (visitor_no = :visitorNo::int or user_id = nullif(:identifier::text, ''))
  and (started_at, session_no) > (:afterAt::timestamptz, :afterNo::bigint)
order by started_at, session_no
limit :limit::int

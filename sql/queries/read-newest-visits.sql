-- The sessions that started at :starts of the visitors :visitorNos or, where these are 0, of the users :userIds; of several the one
-- with the highest number. place: position in the lists, from 1.
select
  wanted.place::int as place,
  visitors.id as "visitorId",
  coalesce(session.user_id, wanted.user_id) as "userId",
  identities.name as "userName",
  identities.avatar as "userAvatar",
  session.last_at as "lastAt",
  {session_attribute_fields},
  session.exit_path as "exitPath"
from unnest(:starts::timestamptz[], :visitorNos::int[], :userIds::text[]) with ordinality
  as wanted (started_at, visitor_no, user_id, place)
left join lateral (
  select *
  from sessions
  where sessions.site_no = :siteNo::int and sessions.started_at = wanted.started_at
    and case
      when wanted.visitor_no > 0 then sessions.visitor_no = wanted.visitor_no
      else sessions.user_id = wanted.user_id
    end
  order by session_no desc
  limit 1
) as session on true
left join lateral (
  select id
  from visitors
  where visitors.site_no = :siteNo::int and visitors.visitor_no = case when wanted.visitor_no > 0 then wanted.visitor_no else session.visitor_no end
  limit 1
) as visitors on true
left join lateral (
  select name, avatar
  from identities
  where identities.site_no = :siteNo::int and identities.identifier = coalesce(session.user_id, wanted.user_id)
  limit 1
) as identities on true

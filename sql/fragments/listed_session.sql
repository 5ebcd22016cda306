-- Columns of a `session` of a list, which needs details_of_session.sql.
session.session_no as "sessionNo",
session.started_at as "startedAt",
session.first_at as "firstAt",
session.last_at as "lastAt",
session.duration_ms as "durationMs",
session.pageviews,
session.events,
session.visit_count as "visitCount",
{session_attribute_fields},
session.exit_path as "exitPath",
visitors.id as "visitorId",
session.user_id as "userId",
identities.name as "userName",
identities.avatar as "userAvatar",
exists (
  select from session_replays
  where session_replays.site_no = :siteNo::int and session_replays.session_no = session.session_no
) as "hasReplay",
paid.revenue

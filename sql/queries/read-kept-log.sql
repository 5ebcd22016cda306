-- Hits of `asked.types`, the newest first, with who sent them. The identity is that of the session as it is known now.
select
  hit.at,
  hit.type,
  hit.name,
  hit.path,
  hit.url,
  hit.title,
  hit.hostname,
  hit.country,
  hit.size,
  hit.browser,
  hit.os,
  hit.props,
  hit.error_id as "errorId",
  hit.error_message as "errorMessage",
  hit.error_stack as "errorStack",
  hit.error_file as "errorFile",
  hit.error_line as "errorLine",
  hit.error_column as "errorColumn",
  visitors.id as "visitorId",
  coalesce(sessions.user_id, '') as "userId",
  identities.name as "userName",
  identities.avatar as "userAvatar"
from (
  select *
  from kept_hits
  where type = any((select types from asked)::text[])
  order by at desc, id desc
  limit (select "limit" from asked)
  offset (select "offset" from asked)
) as hit
left join visitors on visitors.visitor_no = hit.visitor_no
left join sessions
  on sessions.site_no = hit.site_no
  and sessions.started_at = hit.session_at
  and sessions.session_no = hit.session_no
left join identities
  on identities.site_no = hit.site_no
  and identities.identifier = sessions.user_id
order by hit.at desc, hit.id desc

-- Hits of `types` with their visitors, the newest first. The identity is the present one of the session, not the one at the
-- time of the hit.
select
  hit.at,
  hit.id,
  hit.type,
  hit.name,
  hit.path,
  case when hit.url = '' then hit.path || hit.query else hit.url end as url,
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
  session.started_at as "sessionStartedAt",
  session.session_no as "sessionNo",
  coalesce(session.user_id, '') as "userId",
  identities.name as "userName",
  identities.avatar as "userAvatar"
from (
  select *
  from filtered_hits
  where type = any((select types from params)::text[])
  order by at desc, id desc
  limit (select "limit" from params)
  offset (select "offset" from params)
) as hit
-- One lookup for each hit of the page: a join would read all visitors of the site.
left join lateral (
  select id from visitors where visitors.visitor_no = hit.visitor_no limit 1
) as visitors on true
left join lateral (
  select started_at, session_no, user_id
  from sessions
  where sessions.site_no = hit.site_no
    and sessions.started_at = hit.session_at
    and sessions.session_no = hit.session_no
  limit 1
) as session on true
left join lateral (
  select name, avatar
  from identities
  where identities.site_no = hit.site_no and identities.identifier = session.user_id
  limit 1
) as identities on true
order by hit.at desc, hit.id desc

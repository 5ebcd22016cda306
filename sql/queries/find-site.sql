-- Finds a site by id ($2) or by domain ($3); the other one is null. $4: the sites that a token is limited to, null for all.
select
  site_no as "siteNo",
  id,
  team_id as "teamId",
  domain,
  tracking_key as "trackingKey",
  timezone,
  currency,
  tracking_mode as "trackingMode",
  is_public as "isPublic",
  is_pinned as "isPinned",
  track_errors as "trackErrors",
  track_web_vitals as "trackWebVitals",
  track_session_replay as "trackSessionReplay",
  first_event_at as "firstEventAt",
  created_at as "createdAt"
from sites
where
  team_id = $1
  and deleted_at is null
  and (id = $2 or domain = $3)
  and ($4::uuid[] is null or id = any($4))

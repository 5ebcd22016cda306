-- The database flips the value, so that two requests at the same time both take effect.
update sites
set is_pinned = not is_pinned
where site_no = $1 and deleted_at is null
returning
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

-- Sets the options of site $1 that are not null; no row when it was deleted.
update sites
set
  domain = coalesce($2::text, domain),
  timezone = coalesce($3::text, timezone),
  currency = coalesce($4::text, currency),
  tracking_mode = coalesce($5::text, tracking_mode),
  is_public = coalesce($6::boolean, is_public),
  track_errors = coalesce($7::boolean, track_errors),
  track_web_vitals = coalesce($8::boolean, track_web_vitals),
  track_session_replay = coalesce($9::boolean, track_session_replay)
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

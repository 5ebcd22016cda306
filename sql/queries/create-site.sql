-- No row when team $1 already has a site for domain $2.
insert into sites (team_id, domain, timezone)
values ($1, $2, $3)
on conflict (team_id, domain) where deleted_at is null do nothing
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

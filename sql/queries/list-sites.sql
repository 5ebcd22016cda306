-- $2: the sites that a token is limited to, null for all.
-- hasRevenue: a payment processor is connected, or a payment came through the API. hasPayments: at least one payment was
-- recorded.
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
  created_at as "createdAt",
  exists (select from processor_connections where processor_connections.site_no = sites.site_no)
  or exists (select from payments where payments.site_no = sites.site_no and source = 'api') as "hasRevenue",
  exists (select from payments where payments.site_no = sites.site_no) as "hasPayments"
from sites
where
  team_id = $1
  and deleted_at is null
  and ($2::uuid[] is null or id = any($2))

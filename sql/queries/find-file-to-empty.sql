-- The earliest file with hits of a day of another time zone than that of the site now, whose date no day with hits will get: the site is
-- rolled up, and all days around are over and exported. Zones are at most 26 hours apart.
select
  files.site_no as "siteNo",
  sites.id as "siteId",
  files.day::text as day,
  sites.timezone,
  files.starts_at as "startsAt",
  files.ends_at as "endsAt",
  files.version
from exported_days as files
join sites using (site_no)
join rollup_spans as spans on spans.site_no = sites.site_no and spans.timezone = sites.timezone
where (:siteNo::int is null or files.site_no = :siteNo::int)
  and files.hits > 0
  and files.timezone <> sites.timezone
  and files.ends_at <= (select refreshed_to - interval '26 hours' from watermarks where aggregate = 'daily_rollups')
  and spans.rolled_up_from <= sites.first_event_at
  and sites.deleted_at is null
  and (sites.details_from is null or files.starts_at >= sites.details_from)
  and not exists (
    select
    from daily_rollups as rollups
    left join exported_days as exported
      on exported.site_no = rollups.site_no and exported.starts_at = rollups.starts_at and exported.ends_at = rollups.ends_at
      and exported.timezone = sites.timezone
    where rollups.site_no = files.site_no
      and rollups.starts_at < files.ends_at + interval '26 hours'
      and rollups.ends_at > files.starts_at - interval '26 hours'
      and rollups.version is distinct from exported.version
      and (rollups.pageviews > 0 or rollups.custom_events > 0 or rollups.sessions > 0)
  )
  and (files.site_no, files.starts_at) not in (
    select "siteNo", "startsAt" from jsonb_to_recordset(:failed::text::jsonb) as failed ("siteNo" int, "startsAt" timestamptz)
  )
order by files.starts_at, files.site_no
limit 1

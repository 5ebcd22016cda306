-- The earliest day that is rolled up and not exported in its present state; null as :siteNo: of any site. Days that failed are
-- left out: `failed` is a JSON array of objects with siteNo and startsAt. After a change of the time zone, no rollup counts until those
-- of the old zone are gone.
select
  rollups.site_no as "siteNo",
  sites.id as "siteId",
  sites.timezone,
  rollups.starts_at as "startsAt",
  rollups.ends_at as "endsAt",
  rollups.version
from daily_rollups as rollups
join sites using (site_no)
join rollup_spans as spans using (site_no, timezone)
left join exported_days as exported using (site_no, starts_at, ends_at, timezone)
where (:siteNo::int is null or rollups.site_no = :siteNo::int)
  and rollups.version is distinct from exported.version
  and (exported.version is not null or rollups.pageviews > 0 or rollups.custom_events > 0 or rollups.sessions > 0)
  and sites.deleted_at is null
  and (sites.details_from is null or rollups.starts_at >= sites.details_from)
  and not exists (
    select
    from jsonb_to_recordset(:failed::text::jsonb) as failed ("siteNo" int, "startsAt" timestamptz)
    where failed."siteNo" = rollups.site_no and failed."startsAt" = rollups.starts_at
  )
order by rollups.starts_at, rollups.site_no
limit 1

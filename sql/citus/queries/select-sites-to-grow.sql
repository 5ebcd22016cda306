-- As the common one: what the workers know of each site first, then the sites, which are on the coordinator.
with rolled_up as materialized (
  select
    rollup_spans.site_no,
    rollup_spans.timezone,
    rollup_spans.rolled_up_from,
    newest.ends_at,
    exists (
      select from events
      where events.site_no = rollup_spans.site_no and events.at >= newest.ends_at and events.at < :watermark::timestamptz
    ) as has_hits
  from rollup_spans
  left join lateral (
    select ends_at
    from daily_rollups
    where daily_rollups.site_no = rollup_spans.site_no
    order by starts_at desc
    limit 1
  ) as newest on true
)
select
  sites.site_no as "siteNo",
  sites.timezone,
  sites.first_event_at as "firstEventAt",
  rolled_up.timezone as "rolledUpZone",
  rolled_up.rolled_up_from as "rolledUpFrom"
from sites
left join rolled_up using (site_no)
where deleted_at is null and first_event_at is not null
  and (
    rolled_up.site_no is null
    or rolled_up.timezone <> sites.timezone
    or rolled_up.ends_at is null
    or rolled_up.ends_at + interval '23 hours' + make_interval(mins => sites.site_no % 1200) <= :watermark::timestamptz
    or (rolled_up.ends_at + interval '23 hours' <= :watermark::timestamptz and rolled_up.has_hits)
  )
order by site_no

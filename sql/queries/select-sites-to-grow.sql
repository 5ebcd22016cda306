-- Sites with hits, whose rollups are not up to :watermark: those with hits since, those without rollups or in another time zone, and
-- quiet ones that need the next day. Quiet sites get it spread over 20 hours after their newest one, by number: until then it is read
-- from rows, of which there are none. Less than the shortest day, so that no day is left out when a late hit makes the rollup of the
-- next one. Costs two index lookups for each site; the statements that follow are only for sites with traffic.
select
  sites.site_no as "siteNo",
  sites.timezone,
  sites.first_event_at as "firstEventAt",
  rollup_spans.timezone as "rolledUpZone",
  rollup_spans.rolled_up_from as "rolledUpFrom"
from sites
left join rollup_spans using (site_no)
left join lateral (
  select rolled_up_to, ends_at
  from daily_rollups
  where daily_rollups.site_no = sites.site_no
  order by starts_at desc
  limit 1
) as newest on true
where deleted_at is null and first_event_at is not null
  and (
    rollup_spans.site_no is null
    or rollup_spans.timezone <> sites.timezone
    or newest.ends_at is null
    or newest.ends_at + make_interval(mins => sites.site_no % 1200) <= :watermark::timestamptz
    or exists (
      select from events
      where events.site_no = sites.site_no
        and events.at >= newest.rolled_up_to - :silence::interval and events.at < :watermark::timestamptz
    )
  )
order by site_no

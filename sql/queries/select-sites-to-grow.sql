-- Sites with a day that is over, by :watermark, and comes after their newest rollup: those with hits since, those without rollups or in
-- another time zone, and quiet ones. Quiet sites get a day spread over 20 hours, by number: until then columns find no hits there. Costs two
-- index lookups for each site; the statements that follow are only for sites with traffic. The shortest day has 23 hours.
select
  sites.site_no as "siteNo",
  sites.timezone,
  sites.first_event_at as "firstEventAt",
  rollup_spans.timezone as "rolledUpZone",
  rollup_spans.rolled_up_from as "rolledUpFrom"
from sites
left join rollup_spans using (site_no)
left join lateral (
  select ends_at
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
    or newest.ends_at + interval '23 hours' + make_interval(mins => sites.site_no % 1200) <= :watermark::timestamptz
    or (
      newest.ends_at + interval '23 hours' <= :watermark::timestamptz
      and exists (
        select from events
        where events.site_no = sites.site_no and events.at >= newest.ends_at and events.at < :watermark::timestamptz
      )
    )
  )
order by site_no

-- Sites with hits whose rollups do not reach back to the first of them, with the span of their rollups.
select
  sites.site_no as "siteNo",
  sites.timezone,
  sites.first_event_at as "firstEventAt",
  rollup_spans.timezone as "rolledUpZone",
  rollup_spans.rolled_up_from as "rolledUpFrom"
from sites
left join rollup_spans using (site_no)
where deleted_at is null and first_event_at is not null
  and (
    rollup_spans.site_no is null
    or rollup_spans.timezone <> sites.timezone
    or rolled_up_from > first_event_at
  )
order by site_no

-- Sites that have data, with what is folded of them: all, or ($1 false) only those of which days are missing.
select
  sites.site_no as "siteNo",
  sites.timezone,
  sites.first_event_at as "firstEventAt",
  fold_spans.timezone as "foldedZone",
  fold_spans.folded_from as "foldedFrom"
from sites
left join fold_spans using (site_no)
where deleted_at is null and first_event_at is not null
  and (
    $1::boolean
    or fold_spans.site_no is null
    or fold_spans.timezone <> sites.timezone
    or folded_from > first_event_at
  )
order by site_no

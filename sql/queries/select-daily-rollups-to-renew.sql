-- Rollups of site $1 in [$2, $3) that are not empty, or whose days have hits.
select
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end"
from daily_rollups
where site_no = $1::int and starts_at >= $2::timestamptz and ends_at <= $3::timestamptz
  and (
    pageviews + custom_events + sessions > 0
    or exists (
      select from events
      where events.site_no = $1::int and at >= starts_at and at < ends_at
    )
  )
order by starts_at

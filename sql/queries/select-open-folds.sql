-- Folds of site $1 that lack something before $2 ($3: how long after its end a day is still open), the newest first, and
-- whether there may be anything to add, of sessions that were not silent for $4 or of new hits.
select
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end",
  exists (
    select from events
    where events.site_no = $1::int and at >= folded_to - $4::interval and at < $2::timestamptz
  ) as "hasHits"
from day_folds
where site_no = $1::int and folded_to < least(ends_at + $3::interval, $2::timestamptz)
order by starts_at desc

-- Days of site $1, $2 to $3, that have nothing before $4. $5: no visitors.
insert into day_folds (
  site_no, starts_at, ends_at, folded_to, pageviews, custom_events, sessions, bounces, duration_ms, visitors
)
select $1::int, starts_at, ends_at, $4::timestamptz, 0, 0, 0, 0, 0, $5::bytea
from unnest($2::timestamptz[], $3::timestamptz[]) as day (starts_at, ends_at)
on conflict (site_no, starts_at, ends_at) do nothing

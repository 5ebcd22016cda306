-- Inserts empty rollups for the days $2 to $3 of site $1, which have no data before $4. $5: an empty visitor set.
insert into daily_rollups (
  site_no, starts_at, ends_at, rolled_up_to, pageviews, custom_events, sessions, bounces, duration_ms, visitors
)
select $1::int, starts_at, ends_at, $4::timestamptz, 0, 0, 0, 0, 0, $5::bytea
from unnest($2::timestamptz[], $3::timestamptz[]) as day (starts_at, ends_at)
on conflict (site_no, starts_at, ends_at) do nothing

insert into daily_value_rollups (site_no, dimension, starts_at, ends_at, counts, visitors)
values ($1::int, $2::text, $3::timestamptz, $4::timestamptz, $5::bytea, $6::bytea)
on conflict (site_no, dimension, starts_at, ends_at) do update set
  counts = excluded.counts,
  visitors = excluded.visitors

-- Earliest time at or after $2 at which site $1 has rows in each hypertable; null where it has none.
select
  (select min(at) from events where site_no = $1::int and at >= $2::timestamptz) as events,
  (select min(started_at) from sessions where site_no = $1::int and started_at >= $2::timestamptz) as sessions,
  (select min(at) from revenue where site_no = $1::int and at >= $2::timestamptz) as revenue,
  (select min(at) from mrr_movements where site_no = $1::int and at >= $2::timestamptz) as "mrrMovements"

-- Counts of the events that the service itself writes (payments, steps of subscriptions) by local day, so that the goal report need not read
-- all of them. Such events change after they were stored, in few places of the code: each deletes the rows of the days that it touches, in
-- the transaction of the change. So a row with counts is always right, and a day without one is counted from rows.
create table daily_service_events (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Drawn anew with every row: counts are written only into the row that was there before they were counted.
  version uuid not null default gen_random_uuid(),
  -- By name: conversions, visitors (serialized roaring bitmap, base64), and reported revenue by currency in minor units. Null until they
  -- are counted.
  counts jsonb,
  -- The same by name and properties, of events that have properties. Null where none has.
  properties jsonb,
  primary key (site_no, starts_at, ends_at)
);

-- Days of the past are counted with the goals of their site.
insert into goal_rollup_queue (site_no)
select distinct site_no from goals join sites using (site_no) where deleted_at is null
on conflict (site_no) do nothing;

-- Days whose hits are in a file of the daily export, and which state of the day that is. A day is due while its rollup has
-- another version: after late hits, an erasure or a change of the time zone it is written again.
create table exported_days (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Version of the day in daily_rollups when its hits were read.
  version uuid not null,
  hits bigint not null,
  bytes bigint not null,
  exported_at timestamptz not null,
  primary key (site_no, starts_at, ends_at)
);
